import IdentityHTTP
import IdentityKit
import IdentityOIDC
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

/// Records the address policy of each request, and returns status 302 without sending it.
private final class Policies: HTTPTransport {
    private let seen = Mutex<[String]>([])
    var all: [String] { seen.withLock { $0 } }

    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        seen.withLock { $0.append(request.addressPolicy.name) }
        return HTTPResponse(status: 302, headers: HTTPHeaders())
    }
}

@Suite("Addresses of a provider's requests")
struct ProviderHTTPClientTests {
    private func policy(
        _ url: String,
        configured: [String] = ["https://10.0.0.5:8443/id", "https://id.example"],
        allowsLoopbackHTTP: Bool = false
    ) async throws -> String {
        let transport = Policies()
        let httpClient = ProviderHTTPClient(
            environment: IdentityEnvironment(transport: transport, clock: ManualClock()),
            timeout: .seconds(5),
            allowsLoopbackHTTP: allowsLoopbackHTTP,
            configured: try configured.map { try HTTPURL($0) } + [nil]
        )
        _ = try await httpClient.send(.get, try HTTPURL(url), asking: "The provider")
        return try #require(transport.all.first)
    }

    @Test("after a redirect, headers of a discovery request are sent only to the first origin and to accepted hosts")
    func redirectedHeaders() async throws {
        final class Redirecting: HTTPTransport {
            private let seen = Mutex<[String]>([])
            var all: [String] { seen.withLock { $0 } }

            func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
                seen.withLock { $0.append("\(request.url.origin) \(request.headers["X-Key"] ?? "none")") }
                let next = [
                    "/1": "https://id.example/2", "/2": "https://cdn.example/3", "/3": "https://id.example:8443/4",
                    "/4": "https://id.example:443/5",
                ]
                guard let location = next[request.url.path] else { return HTTPResponse(status: 200) }
                var headers = HTTPHeaders()
                try headers.set("Location", location)
                return HTTPResponse(status: 302, headers: headers)
            }
        }
        for (hosts, sent) in [(nil, "none"), (AllowedHosts(["cdn.example"], member: "endpointHosts"), "k")] {
            let transport = Redirecting()
            let httpClient = ProviderHTTPClient(
                environment: IdentityEnvironment(transport: transport, clock: ManualClock()),
                timeout: .seconds(5),
                allowsLoopbackHTTP: false,
                configured: []
            )
            let response = try await httpClient.document(
                at: try HTTPURL("https://id.example/1"),
                following: 4,
                headers: [("X-Key", "k")],
                within: hosts,
                asking: "The provider",
                setting: "the address"
            )
            #expect(response.status == 200)
            let (first, cdn) = ("https://id.example k", "https://cdn.example \(sent)")
            #expect(transport.all == [first, first, cdn, "https://id.example:8443 none", first])
        }
    }

    @Test("a host name without an address is named in the error, with the members to check")
    func unresolvable() async throws {
        let noName = HTTPTransportError(code: .resolutionFailed, phase: .notSent, message: "No such name.")
        let environment = IdentityEnvironment(transport: NoNetwork(noName), clock: ManualClock())
        let provider = try OpenIDProvider(
            .init(name: "any", issuer: "https://id.exmaple", clientID: "c"),
            environment: environment
        )
        let error = await #expect(throws: IdentityError.self) {
            _ = try await provider.authorizationRequest(LoginOptions(redirectURI: "https://app.example/callback"))
        }
        #expect(error?.kind == .retryLater)
        #expect(error?.message.contains("id.exmaple") == true)
        #expect(error?.hint?.contains("issuer") == true)
    }

    @Test(
        "a configured origin may have any address; another scheme or port of its host must have a public one",
        arguments: [
            ("https://10.0.0.5:8443/", "any"), ("https://10.0.0.5:8443/elsewhere?a=b", "any"),
            ("https://ID.example/", "any"), ("https://id.example:443/", "any"), ("https://10.0.0.5:22/", "publicOnly"),
            ("https://10.0.0.5/", "publicOnly"), ("https://10.0.0.6:8443/", "publicOnly"),
            ("https://id.example:8443/", "publicOnly"), ("http://id.example:443/", "publicOnly"),
            ("https://a.id.example/", "publicOnly"), ("https://id.example.evil.example/", "publicOnly"),
        ]
    )
    func origins(url: String, policy: String) async throws {
        #expect(try await self.policy(url) == policy)
        // For other origins, allowsLoopbackHTTP permits loopback addresses and no other private address.
        let onLoopback = policy == "any" ? "any" : "publicOrLoopback"
        #expect(try await self.policy(url, allowsLoopbackHTTP: true) == onLoopback)
    }

    @Test(
        "a URL in a provider's document cannot direct a request to a private address, by number or by name",
        arguments: [
            "https://127.0.0.1:1/", "https://localhost:1/", "https://169.254.169.254/latest/meta-data/",
            "https://10.0.0.1/", "https://[::1]:1/", "https://[::ffff:127.0.0.1]/", "https://[fd00:ec2::254]/",
            "https://0.0.0.0:1/", "https://100.64.0.1/", "https://[64:ff9b::7f00:1]/", "https://255.255.255.255/",
        ]
    )
    func inside(url: String) async throws {
        for allowsLoopbackHTTP in [false, true] {
            let transport = try CurlTransport()
            let httpClient = ProviderHTTPClient(
                environment: IdentityEnvironment(transport: transport),
                timeout: .seconds(60),
                allowsLoopbackHTTP: allowsLoopbackHTTP,
                configured: [try HTTPURL("https://id.example")]
            )
            let error = await #expect(throws: IdentityError.self) {
                _ = try await httpClient.send(.get, try HTTPURL(url), asking: "The provider")
            }
            let isLoopback = try HTTPURL(url).isLoopback || url.contains("localhost")
            let code = (error?.cause as? HTTPTransportError)?.code
            #expect(code == (allowsLoopbackHTTP && isLoopback ? .connectionFailed : .addressRefused))
            await transport.close()
        }
    }

    @Test(
        "user information is refused in every URL that metadata name",
        arguments: [
            "authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint", "end_session_endpoint",
        ]
    )
    func userInformation(member: String) throws {
        let texts = ["https://user@id.example/", "https://user:pass@id.example/", "https://id.example\\@evil.example/"]
        for text in texts {
            let document: JSONObject = ["issuer": .string("https://id.example"), member: .string(text)]
            let error = #expect(throws: IdentityError.self) {
                _ = try ProviderMetadata(parsing: JSONValue.object(document).serialized, allowsLoopbackHTTP: true)
            }
            #expect(error?.code == .discoveryFailed)
        }
    }
}
