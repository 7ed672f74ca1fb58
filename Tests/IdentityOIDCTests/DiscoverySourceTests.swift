import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityOIDC
import IdentityTesting
import Synchronization
import Testing

private final class CountingTransport: HTTPTransport {
    private let transport: CurlTransport
    private let requests = Mutex(0)
    var count: Int { requests.withLock { $0 } }

    init(_ transport: CurlTransport) {
        self.transport = transport
    }

    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        requests.withLock { $0 += 1 }
        return try await transport.send(request)
    }
}

@Suite("Provider metadata")
struct DiscoverySourceTests {
    private static let document: [UInt8] = Array(#"{"issuer":"https://id.example"}"#.utf8)

    /// The issuer that a source with these rules accepts, or the error code.
    private func found(
        at path: String,
        redirects: Int,
        fallback: Bool = false,
        _ answers: [String: LoopbackResponse]
    ) async throws -> String {
        let server = try await LoopbackServer.start { answers[$0.path] ?? .message(status: 404) }
        let transport = try CurlTransport()
        let httpClient = ProviderHTTPClient(
            environment: IdentityEnvironment(transport: transport, clock: ManualClock()),
            timeout: .seconds(60),
            allowsLoopbackHTTP: true,
            configured: []
        )
        var configuration = DiscoverySource.Configuration(
            discoveryURL: try HTTPURL(server.origin + path),
            issuers: .exactly(["https://id.example"]),
            configured: ProviderMetadata(issuer: "fallback")
        )
        configuration.discovery.allowedRedirects = redirects
        if fallback { configuration.discovery.fallback = OpenIDClient.Endpoints() }
        let result: String
        do {
            result = try await DiscoverySource(configuration, httpClient: httpClient).current().metadata.issuer
        } catch let error as IdentityError {
            result = error.code.rawValue
        }
        await server.stop()
        await transport.close()
        return result
    }

    @Test("the configured fallback is used only if the discovery URL returns 404")
    func fallback() async throws {
        let good = LoopbackResponse.message(status: 200, body: Self.document)
        #expect(try await found(at: "/a", redirects: 0, fallback: true, [:]) == "fallback")
        #expect(try await found(at: "/a", redirects: 0, [:]) == "discovery_failed")
        #expect(try await found(at: "/a", redirects: 0, fallback: true, ["/a": good]) == "https://id.example")
        let refused: [(Int, String)] = [
            (500, "provider_unavailable"), (403, "discovery_failed"), (410, "discovery_failed"),
        ]
        for (status, code) in refused {
            let answer = LoopbackResponse.message(status: status, body: Self.document)
            #expect(try await found(at: "/a", redirects: 0, fallback: true, ["/a": answer]) == code)
        }
    }

    @Test("optional endpoints that are not https are never used, and requests that need them fail")
    func optionalEndpoints() throws {
        typealias Endpoint = any KeyPath<ProviderMetadata, HTTPURL?> & Sendable
        func read(_ name: String, _ value: String, _ more: String = "") throws -> ProviderMetadata {
            let text = #"{"issuer":"https://id.example","\#(name)":\#(value)\#(more)}"#
            return try ProviderMetadata(parsing: Array(text.utf8), allowsLoopbackHTTP: false)
        }
        let unusable = [#""http://id.example/x""#, #""""#, "1", #"["https://id.example/x"]"#]
        let names: [(String, Endpoint)] = [
            ("pushed_authorization_request_endpoint", \.pushedAuthorizationRequestEndpoint),
            ("revocation_endpoint", \.revocationEndpoint),
            ("device_authorization_endpoint", \.deviceAuthorizationEndpoint),
        ]
        for (name, path) in names {
            let good = try read(name, #""https://id.example/x""#)
            #expect(good[keyPath: path]?.text == "https://id.example/x")
            #expect(good.unusableEndpoints.isEmpty)
            for value in unusable {
                let metadata = try read(name, value)
                #expect(metadata[keyPath: path] == nil)
                #expect(metadata.unusableEndpoints == [name])
            }
        }
        let needed = [
            ("authorization_endpoint", ""), ("token_endpoint", ""), ("jwks_uri", ""), ("userinfo_endpoint", ""),
            ("end_session_endpoint", ""),
            ("pushed_authorization_request_endpoint", #","require_pushed_authorization_requests":true"#),
        ]
        for (name, more) in needed {
            for value in unusable { #expect(throws: IdentityError.self) { try read(name, value, more) } }
        }
    }

    @Test("a caller that finds expired metadata does not fetch if another caller has fetched new ones in the meantime")
    func lateLook() async throws {
        let server = try await LoopbackServer.start { _ in .message(status: 200, body: Self.document) }
        let transport = CountingTransport(try CurlTransport())
        let clock = SteppingClock()
        let httpClient = ProviderHTTPClient(
            environment: IdentityEnvironment(transport: transport, clock: clock),
            timeout: .seconds(60),
            allowsLoopbackHTTP: true,
            configured: []
        )
        let source = DiscoverySource(
            .init(
                discoveryURL: try HTTPURL(server.origin + "/"),
                issuers: .exactly(["https://id.example"]),
                configured: ProviderMetadata(issuer: "https://id.example")
            ),
            httpClient: httpClient
        )
        _ = try await source.current()
        // The clock shows the expiry at the first check only, as if another caller had fetched the document before the second.
        clock.show(once: .seconds(4000))
        _ = try await source.current()
        #expect(transport.count == 1)
        await server.stop()
    }

    @Test("redirects are followed up to the limit, and none to plain http on another machine")
    func redirects() async throws {
        let document = Self.document
        let goal = try await LoopbackServer.start { request in
            request.path == "/goal"
                ? .message(status: 200, body: document)
                : .message(status: 302, headers: [("Location", "http://\(request.header("Host") ?? "")/goal")])
        }
        func redirect(_ location: String) -> [String: LoopbackResponse] {
            ["/a": .message(status: 301, headers: [("Location", location)])]
        }
        #expect(try await found(at: "/a", redirects: 1, redirect(goal.origin + "/goal")) == "https://id.example")
        #expect(try await found(at: "/a", redirects: 0, redirect(goal.origin + "/goal")) == "discovery_failed")
        #expect(try await found(at: "/a", redirects: 1, redirect(goal.origin + "/more")) == "discovery_failed")
        #expect(try await found(at: "/a", redirects: 2, redirect(goal.origin + "/more")) == "https://id.example")
        let elsewhere = [
            "http://id.example/", "ftp://id.example/", "/goal", "http://localhost:\(goal.port)/goal",
            "http://user:pass@127.0.0.1:\(goal.port)/goal", "http://id.example@127.0.0.1:\(goal.port)/goal",
        ]
        for location in elsewhere {
            #expect(try await found(at: "/a", redirects: 5, redirect(location)) == "discovery_failed")
        }
        await goal.stop()
    }
}
