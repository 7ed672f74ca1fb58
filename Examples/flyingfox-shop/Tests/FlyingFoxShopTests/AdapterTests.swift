import FlyingFox
import FlyingSocks
import IdentityTesting
import Testing

@testable import flyingfox_shop

@Suite("The adapter for FlyingFox")
struct AdapterTests {
    /// The cases that no adapter can pass, because FlyingFox drops a part of the request before a handler sees it.
    private static let dropped = [
        "a target with an empty query keeps its question mark", "the handler receives every field of a repeated header",
    ]

    private func withServer(_ body: (_ port: UInt16) async throws -> Void) async throws {
        let server = HTTPServer(
            address: try .inet(ip4: "127.0.0.1", port: 0),
            logger: .disabled,
            handler: WebHandler(answer: WebAdapterConformance.handler)
        )
        let running = Task { try await server.run() }
        try await server.waitUntilListening()
        guard case .ip4(_, let port) = await server.listeningAddress else { throw CancellationError() }
        do {
            try await body(port)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
        _ = await running.result
    }

    @Test(
        "the adapter passes the conformance suite for adapters over a real socket",
        arguments: WebAdapterConformance.cases
    )
    func conformance(_ testCase: WebAdapterConformance.Case) async throws {
        try await withServer { port in
            try await withKnownIssue {
                try await testCase.run { try await WebAdapterConformance.exchange($0, port: port) }
            } when: {
                Self.dropped.contains(testCase.name)
            }
        }
    }

    @Test("the routes get the client's IP address")
    func address() async throws {
        try await withServer { port in
            let request = Array("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".utf8)
            let answer = try await WebAdapterConformance.exchange(request, port: port)
            #expect(String(decoding: answer, as: UTF8.self).contains("client 127.0.0.1\n"))
        }
    }

    @Test("the rest of a body that is too large is not read as the next request", arguments: [65_537, 3_000_000])
    func refusedBody(size: Int) async throws {
        try await withServer { port in
            var request = Array("POST /first HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: \(size)\r\n\r\n".utf8)
            let smuggled = Array("GET /smuggled HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)
            request += Array(repeating: 0x61, count: size - smuggled.count) + smuggled
            request += Array("GET /second HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".utf8)
            let answer = String(decoding: try await WebAdapterConformance.exchange(request, port: port), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 413"))
            #expect(answer.contains("GET /second") && !answer.contains("/smuggled"))
        }
    }
}
