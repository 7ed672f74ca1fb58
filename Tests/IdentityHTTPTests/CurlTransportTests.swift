import CIdentityOpenSSL
import IdentityHTTP
import IdentityLoopback
import IdentityPlatform
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

@Suite struct CurlTransportTests {
    @Test("the transport meets the requirements of HTTPTransport", arguments: TransportConformance.cases)
    func conformance(_ testCase: TransportConformance.Case) async throws {
        try await testCase.run { try CurlTransport() }
    }

    /// Checks an address of the host, then sends the request to the address that the name resolves to later.
    private struct ResolvingTwice: HTTPTransport {
        let inner: CurlTransport

        func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
            let addresses = ["127.0.0.1", "::1"].compactMap { ResolvedAddress(host: $0, port: 1) }
            guard addresses.contains(where: { request.addressPolicy.allows($0) }) else {
                throw HTTPTransportError(code: .addressRefused, phase: .notSent, message: "Refused.")
            }
            var request = request
            request.addressPolicy = .any
            return try await inner.send(request)
        }
    }

    @Test("the conformance suite detects a transport that checks an address and then resolves the name again")
    func resolvingTwice() async throws {
        let name = "a host name leads only to addresses that the policy permits"
        let testCase = try #require(TransportConformance.cases.first { $0.name == name })
        await #expect(throws: TransportConformanceFailure.self) {
            try await testCase.run { ResolvingTwice(inner: try CurlTransport()) }
        }
    }

    @Test("the conformance suite reports a transport that never sends a request")
    func sendingNothing() async throws {
        let testCase = try #require(
            TransportConformance.cases.first { $0.name == "cancelling the task ends the exchange" }
        )
        await #expect(throws: TransportConformanceFailure.self) {
            try await testCase.run { NoNetwork() }
        }
    }

    @Test("proxies in environment variables are ignored")
    func environment() async throws {
        // In a separate process, because the environment belongs to the whole process.
        await #expect(processExitsWith: .success) {
            let proxy = try await LoopbackServer.start { _ in .message(status: 502) }
            for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
                unsafe setenv(name, proxy.origin, 1)
            }
            let server = try await LoopbackServer.start { _ in .message(status: 200) }
            let transport = try CurlTransport()
            let url = try HTTPURL(server.origin + "/")
            let response = try await transport.send(
                HTTPRequest(method: .get, url: url, limits: .patient, allowsLoopbackHTTP: true)
            )
            #expect(response.status == 200)
            // The server does not speak TLS. Through a proxy, the proxy would refuse the request.
            let secure = try HTTPURL("https://localhost:\(server.port)/")
            await #expect {
                try await transport.send(HTTPRequest(method: .get, url: secure, limits: .patient))
            } throws: {
                ($0 as? HTTPTransportError)?.code == .tlsFailed
            }
        }
    }

    @Test("a configured proxy is used for all requests except those to loopback addresses")
    func proxy() async throws {
        let connections = AsyncStream.makeStream(of: Void.self)
        let server = try await LoopbackServer.start { _ in
            connections.continuation.yield()
            return .message(status: 200)
        }
        let proxy = try HTTPURL("http://127.0.0.1:\(server.port)")
        let transport = try CurlTransport(configuration: .init(proxy: proxy))
        // The server is not a proxy and responds to CONNECT with 400. The host name does not exist, so only the server can
        // have responded.
        await #expect {
            try await transport.send(
                HTTPRequest(method: .get, url: try HTTPURL("https://a.invalid/"), limits: .patient)
            )
        } throws: {
            let error = $0 as? HTTPTransportError
            return error?.code == .connectionFailed && error?.phase == .notSent
        }
        let url = try HTTPURL(server.origin + "/")
        let request = HTTPRequest(method: .get, url: url, limits: .patient, allowsLoopbackHTTP: true)
        #expect(try await transport.send(request).status == 200)
    }

    @Test(
        "a proxy without a port is contacted at the default port of its scheme",
        arguments: [("http", 80), ("https", 443)]
    )
    func proxyPort(scheme: String, port: UInt16) async throws {
        let ports = Mutex<[UInt16]>([])
        let transport = try CurlTransport(configuration: .init(proxy: try HTTPURL("\(scheme)://127.0.0.1")))
        var request = HTTPRequest(method: .get, url: try HTTPURL("https://a.invalid/"))
        request.addressPolicy = AddressPolicy(name: "recording") { address in
            ports.withLock { $0.append(address.port) }
            return false
        }
        await #expect(throws: HTTPTransportError.self) { _ = try await transport.send(request) }
        #expect(ports.withLock { $0 } == [port])
    }

    @Test("a GET with a DPoP proof is not sent again if its reused connection breaks")
    func proofIsSentOnce() async throws {
        let requests = Counter()
        let server = try await LoopbackServer.start { request in
            guard request.path == "/die" else { return .message(status: 200) }
            requests.count()
            return .script([.reset])
        }
        let transport = try CurlTransport()
        for (header, count) in [("X-Other", 2), ("DPoP", 3)] {
            let url = try HTTPURL(server.origin + "/")
            _ = try await transport.send(
                HTTPRequest(method: .get, url: url, limits: .patient, allowsLoopbackHTTP: true)
            )
            var request = HTTPRequest(
                method: .get,
                url: try HTTPURL(server.origin + "/die"),
                limits: .patient,
                allowsLoopbackHTTP: true
            )
            try request.headers.set(header, "proof")
            await #expect(throws: HTTPTransportError.self) { _ = try await transport.send(request) }
            #expect(requests.total == count)
        }
    }

    @Test("OpenSSL is not torn down when the process exits, because threads may still use it")
    func processExit() async {
        // In a separate process, which exits after the body.
        await #expect(processExitsWith: .success) {
            _ = try CurlTransport()
            // OpenSSL calls this function when it frees its memory.
            #expect(OPENSSL_atexit { abort() } == 1)
        }
    }

    @Test(
        "permission to send is requested after the connection is established, also on a reused connection; without it no bytes are sent"
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
            limits: .patient,
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

    @Test("connections are reused, and fifty requests open no more than the two permitted ones")
    func pool() async throws {
        let server = try await LoopbackServer.start { _ in .message(status: 200) }
        let transport = try CurlTransport(configuration: .init(maximumConnectionsPerHost: 2))
        let counter = Counter()
        var request = HTTPRequest(
            method: .post,
            url: try HTTPURL(server.origin + "/"),
            body: [1],
            limits: .patient,
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
        // The policy is evaluated once for each request, and once more for each new connection.
        #expect(counter.total <= 52)
    }

    @Test("a request has its path and query as given, and nothing of the previous request on the same libcurl handle")
    func separateRequests() async throws {
        let seen = Mutex<[String]>([])
        let server = try await LoopbackServer.start { request in
            let names = request.headers.map { $0.name.lowercased() }.filter { $0 == "x-secret" || $0 == "content-type" }
            let body = String(decoding: request.body, as: UTF8.self)
            seen.withLock { $0.append("\(request.method) \(request.target) \(names.joined(separator: ",")) \(body)") }
            // The transport returns a redirect like any other response, and the handle keeps nothing of it.
            guard request.target == "/c" else { return .message(status: 200) }
            return .message(status: 302, headers: [("Location", "/elsewhere?code=2")])
        }
        let transport = try CurlTransport()
        var headers = HTTPHeaders()
        try headers.set("X-Secret", "s")
        try headers.set("Content-Type", "text/plain")
        let requests: [(HTTPMethod, String, [UInt8]?, HTTPHeaders)] = [
            (.post, "/a?code=1", Array("body".utf8), headers), (.get, "/b", nil, HTTPHeaders()),
            (.put, "/c", Array("put".utf8), headers), (.get, "/d", nil, HTTPHeaders()),
            (.head, "/e", nil, headers), (.get, "/f", nil, HTTPHeaders()), (.post, "/g", nil, HTTPHeaders()),
            (.delete, "/h", nil, HTTPHeaders()), (.post, "/i", Array("b".utf8), headers),
            (.get, "", nil, HTTPHeaders()), (.get, "?j=/../1", nil, HTTPHeaders()),
            (.get, "/k/../%2F?", nil, HTTPHeaders()),
        ]
        for (method, target, body, headers) in requests {
            let url = try HTTPURL(server.origin + target)
            let request = HTTPRequest(
                method: method,
                url: url,
                headers: headers,
                body: body,
                limits: .patient,
                allowsLoopbackHTTP: true
            )
            #expect(try await transport.send(request).status == (target == "/c" ? 302 : 200))
        }
        #expect(
            seen.withLock { $0 } == [
                "POST /a?code=1 x-secret,content-type body", "GET /b  ", "PUT /c x-secret,content-type put", "GET /d  ",
                "HEAD /e x-secret,content-type ", "GET /f  ", "POST /g  ", "DELETE /h  ",
                "POST /i x-secret,content-type b", "GET /  ", "GET /?j=/../1  ", "GET /k/../%2F?  ",
            ]
        )
    }

    @Test("each of several GETs whose reused connection ends without a response is sent again")
    func repeatedRequests() async throws {
        let arrivals = Counter()
        // Every second request arrives on a used connection, which ends without a response. libcurl then sends it again, but
        // at most five times with one handle, unless the handle is reset.
        let server = try await LoopbackServer.start { _ in
            arrivals.count()
            return arrivals.total.isMultiple(of: 2) ? .script([.close]) : .message(status: 200)
        }
        let transport = try CurlTransport()
        let request = HTTPRequest(
            method: .get,
            url: try HTTPURL(server.origin + "/"),
            limits: .patient,
            allowsLoopbackHTTP: true
        )
        for _ in 0..<10 { #expect(try await transport.send(request).status == 200) }
        #expect(arrivals.total == 19)
    }

    @Test("closing ends pending requests and refuses later ones")
    func closing() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let server = try await LoopbackServer.start { _ in
            arrived.yield()
            return .script([.delay(.seconds(600))])
        }
        let transport = try CurlTransport()
        let request = HTTPRequest(
            method: .get,
            url: try HTTPURL(server.origin + "/"),
            limits: .patient,
            allowsLoopbackHTTP: true
        )
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
        // If the name server does not answer, the deadline expires first.
        #expect(error?.code == .resolutionFailed || error?.code == .timedOut)
        #expect(error?.phase == .notSent)
    }

    @Test(
        "a request that sets a header for message framing or the host is refused",
        arguments: ["Content-Length", "transfer-encoding", "Host", "Expect"]
    )
    func framing(name: String) async throws {
        var request = HTTPRequest(method: .post, url: try HTTPURL("http://127.0.0.1:1/"), allowsLoopbackHTTP: true)
        try request.headers.set(name, "5")
        #expect(await failure(try CurlTransport(), request)?.code == .invalidHeader)
    }

    @Test("very large limits are accepted, and limits of zero or less refuse the response")
    func oddLimits() async throws {
        let server = try await LoopbackServer.start { _ in .message(status: 200, headers: [], body: [1]) }
        let transport = try CurlTransport()
        var request = HTTPRequest(
            method: .get,
            url: try HTTPURL(server.origin + "/"),
            limits: .patient,
            allowsLoopbackHTTP: true
        )
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
        request.limits = .patient
        request.limits.maximumBodyBytes = 0
        #expect(await failure(transport, request)?.code == .bodyTooLarge)
        request.limits = .patient
        request.limits.maximumHeaderBytes = -1
        #expect(await failure(transport, request)?.code == .headersTooLarge)
    }
}

extension HTTPLimits {
    /// Two minutes for each step, because the machine may be busy.
    static let patient = HTTPLimits(
        connectTimeout: .seconds(120),
        firstByteTimeout: .seconds(120),
        totalTimeout: .seconds(120)
    )
}

/// Sends a request and returns its error; nil if it succeeds.
func failure(_ transport: CurlTransport, _ request: HTTPRequest) async -> HTTPTransportError? {
    do throws(HTTPTransportError) {
        _ = try await transport.send(request)
        return nil
    } catch {
        return error
    }
}
