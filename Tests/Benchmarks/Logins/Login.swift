internal import IdentityHTTP
package import IdentityKit
package import IdentityOIDC

/// Provider and session manager, set up as the guides do it.
package struct Login: Sendable {
    package let provider: OpenIDProvider
    private let sessions: SessionManager
    private let transport: CurlTransport

    /// `shops` is the number of providers of the app; all logins are at the last.
    package init(port: Int, _ store: any SessionStore, shops: Int = 1) throws {
        transport = try CurlTransport()
        let environment = IdentityEnvironment(transport: transport, random: FewNonces())
        var configuration = OpenIDProvider.Configuration(
            name: "benchmark",
            issuer: "https://id.benchmark.example",
            clientID: "benchmark-client"
        )
        configuration.redirectURI = "https://shop.example.com/auth/callback"
        configuration.scopes = ["openid", "email", "customer-account-api:full"]
        configuration.allowsLoopbackHTTP = true
        configuration.endpoints.discovery = try HTTPURL(
            "http://127.0.0.1:\(port)/.well-known/openid-configuration"
        )
        provider = try OpenIDProvider(configuration, environment: environment)
        let others = try (1..<shops).map { number in
            configuration.name = "shop-\(number)"
            return try OpenIDProvider(configuration, environment: environment)
        }
        sessions = SessionManager(
            providers: try ProviderRegistry(others + [provider]),
            store: store,
            environment: environment
        )
    }

    /// Begins a login, follows the redirect as a browser would, and completes the login.
    package func run() async throws -> SessionID {
        let started = try await sessions.begin("benchmark")
        let answer = try await transport.send(HTTPRequest(method: .get, url: started.url, allowsLoopbackHTTP: true))
        guard let callback = answer.headers["Location"] else {
            throw BenchmarkFailure("The provider did not return a redirect.")
        }
        return try await sessions.complete(
            LoginCallback(url: callback),
            browserBinding: started.browserBinding,
            provider: "benchmark"
        ).session.id
    }
}

/// The system's random bytes, but only 64 different nonces, because the benchmark's provider signs one token for each nonce.
private struct FewNonces: RandomSource {
    func bytes(_ count: Int) throws -> [UInt8] {
        var bytes = try SystemRandom().bytes(count)
        // An authorization request needs the largest number of bytes: state, nonce and PKCE verifier.
        if count >= 80 {
            let first = count - 64
            let value = bytes[first] % 64
            for index in first..<first + 32 { bytes[index] = value }
        }
        return bytes
    }
}

package struct BenchmarkFailure: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
