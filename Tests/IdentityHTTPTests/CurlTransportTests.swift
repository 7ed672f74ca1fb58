import CIdentityOpenSSL
import IdentityHTTP
import IdentityLoopback
import IdentityPlatform
import IdentityTesting
import TestDoubles
import Testing

@Suite struct CurlTransportTests {
    @Test("the transport meets the requirements of HTTPTransport", arguments: TransportConformance.cases)
    func conformance(_ testCase: TransportConformance.Case) async throws {
        try await testCase.run { try CurlTransport() }
    }

    @Test("a Transfer-Encoding in a response of HTTP/1.0 is refused")
    func codingInVersion10() async throws {
        let bytes = Array("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n".utf8)
        let server = try await LoopbackServer.start { _ in .script([.send(bytes)]) }
        let error = await failure(try CurlTransport(), try HTTPRequest.patient(server.origin + "/"))
        #expect(error?.code == .protocolViolation)
        await server.stop()
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

    @Test("OpenSSL is not torn down when the process exits, because threads may still use it")
    func processExit() async {
        // The test needs a separate process, which exits after the body.
        await #expect(processExitsWith: .success) {
            _ = try CurlTransport()
            // OpenSSL calls this function when it frees its memory.
            #expect(OPENSSL_atexit { abort() } == 1)
        }
    }

    @Test("closing ends pending requests and refuses later ones")
    func closing() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let server = try await LoopbackServer.start { _ in
            arrived.yield()
            return .script([.delay(.seconds(600))])
        }
        let transport = try CurlTransport()
        let request = try HTTPRequest.patient(server.origin + "/")
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

    @Test("the configured User-Agent is sent once, unless it is empty or the request sets another one")
    func userAgent() async throws {
        let server = try await LoopbackServer.start { request in
            let values = request.headers.filter { $0.name.lowercased() == "user-agent" }.map(\.value)
            return .message(status: 200, body: Array(values.joined(separator: ", ").utf8))
        }
        func sent(_ request: HTTPRequest, _ configured: String) async throws -> String {
            let transport = try CurlTransport(configuration: .init(userAgent: configured))
            return String(decoding: try await transport.send(request).body, as: UTF8.self)
        }
        var request = try HTTPRequest.patient(server.origin + "/")
        #expect(try await sent(request, "MyShop/2.1") == "MyShop/2.1")
        #expect(try await sent(request, "") == "")
        try request.headers.set("user-agent", "Page/1")
        #expect(try await sent(request, "MyShop/2.1") == "Page/1")
        await server.stop()
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
}
