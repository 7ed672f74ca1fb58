import Glibc
import IdentityHTTP
import IdentityLoopback
import IdentityTesting
import Synchronization
import Testing

@Suite struct CurlTransportTests {
    @Test("the transport meets the requirements of HTTPTransport")
    func conformance() async throws {
        try await TransportConformance.run { try CurlTransport() }
    }

    @Test("the proxies that the environment names are ignored")
    func environment() async throws {
        // In a process of its own, because the environment belongs to the whole process.
        await #expect(processExitsWith: .success) {
            let proxy = try await LoopbackServer.start { _ in .message(status: 502) }
            for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
                unsafe setenv(name, proxy.origin, 1)
            }
            let server = try await LoopbackServer.start { _ in .message(status: 200) }
            let transport = try CurlTransport()
            let url = try HTTPURL(server.origin + "/")
            let response = try await transport.send(HTTPRequest(method: .get, url: url, allowsLoopbackHTTP: true))
            #expect(response.status == 200)
            // The server speaks no TLS. Through the proxy it would be the proxy that refuses.
            let secure = try HTTPURL("https://localhost:\(server.port)/")
            await #expect {
                try await transport.send(HTTPRequest(method: .get, url: secure))
            } throws: {
                ($0 as? HTTPTransportError)?.code == .tlsFailed
            }
        }
    }

    @Test("a configured proxy is used for everything but loopback")
    func proxy() async throws {
        let connections = AsyncStream.makeStream(of: Void.self)
        let server = try await LoopbackServer.start { _ in
            connections.continuation.yield()
            return .message(status: 200)
        }
        let proxy = try HTTPURL("http://127.0.0.1:\(server.port)")
        let transport = try CurlTransport(configuration: .init(proxy: proxy))
        // The server is no proxy and answers CONNECT with 400; the name does not exist, so nobody else can have answered.
        await #expect {
            try await transport.send(HTTPRequest(method: .get, url: try HTTPURL("https://a.invalid/")))
        } throws: {
            let error = $0 as? HTTPTransportError
            return error?.code == .connectionFailed && error?.phase == .notSent
        }
        let url = try HTTPURL(server.origin + "/")
        let request = HTTPRequest(method: .get, url: url, allowsLoopbackHTTP: true)
        #expect(try await transport.send(request).status == 200)
    }

    @Test(
        "permission to send is asked for after the connection is made, on a used connection too; without it nothing is sent"
    )
    func permission() async throws {
        let requests = Counter()
        let server = try await LoopbackServer.start { _ in
            requests.count()
            return .message(status: 200)
        }
        let transport = try CurlTransport()
        let isConnected = Atomic(false)
        var request = HTTPRequest(
            method: .post,
            url: try HTTPURL(server.origin + "/"),
            body: [1],
            allowsLoopbackHTTP: true
        )
        request.addressPolicy = AddressPolicy(name: "watching") { _ in
            isConnected.store(true, ordering: .relaxed)
            return true
        }
        for round in 0..<2 {
            request.maySend = {
                let isMade = isConnected.load(ordering: .relaxed)
                #expect(isMade)
                return false
            }
            let error = await #expect(throws: HTTPTransportError.self) { _ = try await transport.send(request) }
            #expect(error?.code == .sendingRefused)
            #expect(error?.phase == .notSent)
            request.maySend = { true }
            #expect(try await transport.send(request).status == 200)
            #expect(requests.total == round + 1)
        }
    }

    @Test("connections are reused, and there are never more than permitted")
    func pool() async throws {
        let server = try await LoopbackServer.start { _ in .message(status: 200) }
        let transport = try CurlTransport(configuration: .init(maximumConnectionsPerHost: 2))
        let counter = Counter()
        // Forty-eight wait for two connections, on a machine that may be busy.
        let patient = HTTPLimits(firstByteTimeout: .seconds(120), totalTimeout: .seconds(120))
        var request = HTTPRequest(
            method: .post,
            url: try HTTPURL(server.origin + "/"),
            body: [1],
            limits: patient,
            allowsLoopbackHTTP: true
        )
        request.addressPolicy = AddressPolicy(name: "counting") { _ in
            counter.count()
            return true
        }
        try await withThrowingTaskGroup(of: Int.self) { [request] group in
            for _ in 0..<50 { group.addTask { try await transport.send(request).status } }
            for try await status in group { #expect(status == 200) }
        }
        // The policy is asked once for each request, and once more for each connection that is made.
        #expect(counter.total <= 52)
    }

    @Test("closing ends pending requests and refuses later ones")
    func closing() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let server = try await LoopbackServer.start { _ in
            arrived.yield()
            return .script([.delay(.seconds(600))])
        }
        let transport = try CurlTransport()
        let request = HTTPRequest(method: .get, url: try HTTPURL(server.origin + "/"), allowsLoopbackHTTP: true)
        let pending = Task { await failure(transport, request) }
        for await _ in arrivals { break }
        await transport.close()
        await transport.close()
        #expect(await pending.value?.code == .closed)
        #expect(await pending.value?.phase == .ambiguous)
        #expect(await failure(transport, request)?.code == .closed)
        #expect(await failure(transport, request)?.phase == .notSent)
    }

    @Test("an unresolvable name fails with the phase notSent")
    func resolution() async throws {
        let limits = HTTPLimits(connectTimeout: .seconds(2))
        let request = HTTPRequest(method: .post, url: try HTTPURL("https://a.invalid/"), body: [1], limits: limits)
        let error = await failure(try CurlTransport(), request)
        // Where the name server does not answer at all, the deadline comes first.
        #expect(error?.code == .resolutionFailed || error?.code == .timedOut)
        #expect(error?.phase == .notSent)
    }

    @Test(
        "headers that decide about framing are the transport's",
        arguments: ["Content-Length", "transfer-encoding", "Host", "Expect"]
    )
    func framing(name: String) async throws {
        var request = HTTPRequest(method: .post, url: try HTTPURL("http://127.0.0.1:1/"), allowsLoopbackHTTP: true)
        try request.headers.set(name, "5")
        #expect(await failure(try CurlTransport(), request)?.code == .invalidHeader)
    }

    @Test("limits of zero and very large limits are accepted")
    func oddLimits() async throws {
        let server = try await LoopbackServer.start { _ in .message(status: 200, headers: [], body: [1]) }
        let transport = try CurlTransport()
        var request = HTTPRequest(method: .get, url: try HTTPURL(server.origin + "/"), allowsLoopbackHTTP: true)
        let eternity = Duration.seconds(Int64.max)
        request.limits = HTTPLimits(
            connectTimeout: eternity,
            firstByteTimeout: eternity,
            totalTimeout: eternity,
            maximumBodyBytes: .max,
            maximumHeaderBytes: .max
        )
        #expect(try await transport.send(request).body == [1])
        request.limits = HTTPLimits(totalTimeout: .seconds(-1))
        #expect(await failure(transport, request)?.code == .timedOut)
        request.limits = HTTPLimits(maximumBodyBytes: 0)
        #expect(await failure(transport, request)?.code == .bodyTooLarge)
        request.limits = HTTPLimits(maximumHeaderBytes: -1)
        #expect(await failure(transport, request)?.code == .headersTooLarge)
    }

    private func failure(_ transport: CurlTransport, _ request: HTTPRequest) async -> HTTPTransportError? {
        do throws(HTTPTransportError) {
            _ = try await transport.send(request)
            return nil
        } catch {
            return error
        }
    }
}
