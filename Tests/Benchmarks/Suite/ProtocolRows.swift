internal import FoundationEssentials
internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC
internal import IdentitySQLite
internal import IdentityStoreKit
internal import Yardsticks

/// Tokens, authorization requests and whole logins.
enum ProtocolRows {
    static let all = [
        verification("RS256"),
        verification("ES256"),
        Row(
            name: "authorization-request",
            title: "PKCE, state, nonce and the authorization URL",
            peers: [
                Peer(name: "C", work: .yardstick { yardstick_authorization_request($0.seconds) }),
                Peer(
                    name: "authorizationRequest(_:)",
                    work: .operation(callers: 1) { context in
                        let provider = try Login(context, InMemoryStore()).provider
                        return { _ = try await provider.authorizationRequest(LoginOptions()) }
                    },
                    isCounted: true
                ),
            ]
        ),
        Row(
            name: "login",
            title: "A login with two requests, 16 at the same time",
            peers: [
                Peer(name: "C", work: .yardstick { unsafe yardstick_login($0.folder, Int32($0.port), 16, $0.seconds) }),
                login("in memory", isCounted: true) { _ in InMemoryStore() },
                login("SQLite", isCounted: false) { try await openStore("logins", in: $0) },
            ]
        ),
    ]

    private static func verification(_ algorithm: String) -> Row {
        Row(
            name: "verify-\(algorithm.lowercased())",
            title: "A signed token with its claims, \(algorithm)",
            peers: [
                Peer(name: "C", work: .yardstick { unsafe yardstick_verify($0.folder, algorithm, $0.seconds) }),
                Peer(
                    name: "validate(logoutToken:)",
                    work: .operation(callers: 1) { context in
                        let provider = try Login(context, InMemoryStore()).provider
                        let file = "\(context.folder)/logout-token.\(algorithm.lowercased())"
                        let token = Secret(try String(contentsOfFile: file, encoding: .utf8))
                        return { _ = try await provider.validate(logoutToken: token) }
                    },
                    isCounted: true
                ),
            ]
        )
    }

    private static func login(
        _ name: String,
        isCounted: Bool,
        _ store: @escaping @Sendable (Context) async throws -> any SessionStore
    ) -> Peer {
        Peer(
            name: name,
            work: .operation(callers: 16) { context in
                let login = try Login(context, try await store(context))
                return { _ = try await login.run() }
            },
            isCounted: isCounted
        )
    }
}

/// Provider and session manager, set up as the guides do it.
struct Login: Sendable {
    let provider: OpenIDProvider
    let sessions: SessionManager
    private let transport: CurlTransport

    init(_ context: Context, _ store: any SessionStore) throws {
        transport = try CurlTransport()
        let environment = IdentityEnvironment(transport: transport)
        var configuration = OpenIDProvider.Configuration(
            name: "benchmark",
            issuer: "https://id.benchmark.example",
            clientID: "benchmark-client"
        )
        configuration.redirectURI = "https://shop.example.com/auth/callback"
        configuration.scopes = ["openid", "email", "customer-account-api:full"]
        configuration.allowsLoopbackHTTP = true
        configuration.endpoints.discovery = try HTTPURL(
            "http://127.0.0.1:\(context.port)/.well-known/openid-configuration"
        )
        provider = try OpenIDProvider(configuration, environment: environment)
        sessions = SessionManager(
            providers: try ProviderRegistry([provider]),
            store: store,
            environment: environment
        )
    }

    /// Begins, follows the redirect as a browser would, and completes.
    func run() async throws -> SessionID {
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

/// A benchmark that failed.
struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Opens the SQLite store of this name; its file is kept for the next round.
func openStore(_ name: String, in context: Context, slotSize: Int? = nil) async throws -> SQLiteStore {
    let key = try StoreKey(bytes: Secret(bytes: [UInt8](repeating: 9, count: StoreKey.byteCount)))
    let path = "\(context.folder)/\(name).sqlite"
    guard let slotSize else { return try await SQLiteStore.open(.init(path: path, key: key)) }
    return try await SQLiteStore.open(.init(path: path, key: key, slotSize: slotSize))
}
