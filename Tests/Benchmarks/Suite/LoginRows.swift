internal import BenchmarkLogins
internal import FoundationEssentials
internal import IdentityKit
internal import IdentityOIDC
internal import IdentitySQLite
internal import IdentityStoreKit
internal import Yardsticks

enum LoginRows {
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
                        let provider = try Login(port: context.port, InMemoryStore()).provider
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
                Peer(
                    name: "libcurl on a thread, in C",
                    work: .yardstick { unsafe yardstick_threaded_login($0.folder, Int32($0.port), 16, $0.seconds) }
                ),
                login("in memory", isCounted: true) { _ in InMemoryStore() },
                login("in memory, 1,000 shops", isCounted: false, shops: 1_000) { _ in InMemoryStore() },
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
                        let provider = try Login(port: context.port, InMemoryStore()).provider
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
        shops: Int = 1,
        _ store: @escaping @Sendable (Context) async throws -> any SessionStore
    ) -> Peer {
        Peer(
            name: name,
            work: .operation(callers: 16) { context in
                let login = try Login(port: context.port, try await store(context), shops: shops)
                return { _ = try await login.run() }
            },
            isCounted: isCounted
        )
    }
}

/// Opens the SQLite store of this name; its file is kept for the next round.
func openStore(_ name: String, in context: Context, slotSize: Int? = nil) async throws -> SQLiteStore {
    let key = try StoreKey(bytes: Secret(bytes: [UInt8](repeating: 9, count: StoreKey.byteCount)))
    let path = "\(context.folder)/\(name).sqlite"
    guard let slotSize else { return try await SQLiteStore.open(.init(path: path, key: key)) }
    return try await SQLiteStore.open(.init(path: path, key: key, slotSize: slotSize))
}
