import Foundation
import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityShopify
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

/// A token storage that signs the buyer out during the first save after `signOut`, and that may be unable to remove tokens.
private final class SignOutVault: AuthTokenStorage {
    private let isBroken: Bool
    private let logout = Mutex<(client: AuthClient, idToken: String)?>(nil)
    private let logoutError = Mutex<IdentityError?>(nil)

    init(isBroken: Bool) { self.isBroken = isBroken }

    var error: IdentityError? { logoutError.withLock(\.self) }

    func signOut(at client: AuthClient, _ idToken: String) { logout.withLock { $0 = (client, idToken) } }

    func saveTokens(_ tokens: CustomerAccountAccessTokenResponse) async throws {
        let logout = logout.withLock { logout in
            defer { logout = nil }
            return logout
        }
        guard let logout else { return }
        let error = await failure { try await logout.client.logout(idToken: logout.idToken) }
        logoutError.withLock { $0 = error }
    }

    func removeTokens() async throws {
        if isBroken { throw CocoaError(.fileWriteOutOfSpace) }
    }
}

/// A token storage that stores the tokens, signs the buyer out, and then reports that it could not store them.
private final class FailedSaveVault: AuthTokenStorage {
    private let state = Mutex<(client: AuthClient?, isEmpty: Bool)>((nil, true))

    var isEmpty: Bool { state.withLock(\.isEmpty) }

    func signOut(at client: AuthClient) { state.withLock { $0.client = client } }

    func saveTokens(_ tokens: CustomerAccountAccessTokenResponse) async throws {
        let client = state.withLock { state in
            state.isEmpty = false
            return state.client
        }
        _ = await failure { try await client?.logout(idToken: "unknown") }
        state.withLock { $0.isEmpty = false }
        throw CocoaError(.fileWriteOutOfSpace)
    }

    func removeTokens() async throws { state.withLock { $0.isEmpty = true } }
}

/// A token storage in memory that keeps the ID token, as the sample of `AuthTokenStorage` does.
private final class MemoryVault: AuthTokenStorage {
    private let stored = Mutex<(refreshToken: String?, idToken: String?)>((nil, nil))

    var tokens: (refreshToken: String?, idToken: String?) { stored.withLock(\.self) }

    func saveTokens(_ tokens: CustomerAccountAccessTokenResponse) async throws {
        stored.withLock { $0 = (tokens.refreshToken, tokens.idToken ?? $0.idToken) }
    }

    func removeTokens() async throws { stored.withLock { $0 = (nil, nil) } }
}

/// A transport that runs a hook before it sends the first refresh.
private final class RefreshHook: HTTPTransport {
    private let inner: any HTTPTransport
    private let hook = Mutex<(@Sendable () async throws -> Void)?>(nil)

    init(_ inner: any HTTPTransport) { self.inner = inner }

    func beforeRefresh(_ run: @escaping @Sendable () async throws -> Void) { hook.withLock { $0 = run } }

    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        if String(decoding: request.body ?? [], as: UTF8.self).contains("grant_type=refresh_token") {
            let run = hook.withLock { hook in
                defer { hook = nil }
                return hook
            }
            try? await run?()
        }
        return try await inner.send(request)
    }
}

/// A token storage that forgets the ID token when it saves a response without one.
private final class ForgetfulVault: AuthTokenStorage {
    private let inner = MemoryVault()

    var tokens: (refreshToken: String?, idToken: String?) { inner.tokens }

    func saveTokens(_ tokens: CustomerAccountAccessTokenResponse) async throws {
        try await inner.removeTokens()
        try await inner.saveTokens(tokens)
    }

    func removeTokens() async throws { try await inner.removeTokens() }
}

@Suite("The token storage of AuthClient")
struct TokenStorageTests {
    @Test(
        "a correct token storage passes the conformance suite",
        arguments: AuthTokenStorageConformance.cases
    )
    func conformance(_ testCase: AuthTokenStorageConformance.Case) async throws {
        let vault = MemoryVault()
        try await testCase.run(vault) { vault.tokens }
    }

    @Test("the conformance suite finds a storage that forgets the ID token")
    func forgetful() async throws {
        for testCase in AuthTokenStorageConformance.cases {
            let vault = ForgetfulVault()
            guard testCase.name.contains("keeps the ID token") else {
                try await testCase.run(vault) { vault.tokens }
                continue
            }
            await withKnownIssue { try await testCase.run(vault) { vault.tokens } }
        }
    }

    @Test("a login or refresh during which the buyer signs out is not retryLater if the tokens cannot be removed")
    func signOutMeanwhile() async throws {
        let shop = try await Shop(.publicMobile)
        let vault = SignOutVault(isBroken: true)
        let client = AuthClient(
            provider: try shop.provider(),
            storefrontAccessToken: "storefront",
            tokenStorage: vault
        )
        let tokens = try await client.login(with: SandboxBuyer())
        let (refreshToken, idToken) = (try #require(tokens.refreshToken), try #require(tokens.idToken))
        for call in ["login", "refresh"] {
            vault.signOut(at: client, idToken)
            let error = await failure {
                if call == "login" { return try await client.login(with: SandboxBuyer()) }
                return try await client.refreshAccessToken(refreshToken: refreshToken)
            }
            #expect(error?.code == .storeFailed && error?.kind == .configuration, "\(call)")
            #expect(error?.message.contains("failed to remove the tokens") == true)
            #expect(error?.hint?.contains("Do not repeat the call") == true)
            // The logout may be repeated, so its error is retryLater.
            #expect(vault.error?.code == .storeFailed && vault.error?.kind == .retryLater)
            #expect(vault.error?.hint?.contains("repeat") == false)
            #expect(vault.error?.reference == nil)
            #expect(client.currentTokens == nil)
        }
    }

    @Test("a login is cancelled if the buyer signs out while its tokens are saved")
    func signOutDuringLogin() async throws {
        let shop = try await Shop(.publicMobile)
        let vault = SignOutVault(isBroken: false)
        let client = AuthClient(provider: try shop.provider(), tokenStorage: vault)
        let idToken = try #require(try await client.login(with: SandboxBuyer()).idToken)
        vault.signOut(at: client, idToken)
        #expect(await failure { try await client.login(with: SandboxBuyer()) }?.kind == .cancelled)
        #expect(vault.error == nil && client.currentTokens == nil)
    }

    @Test("a save that fails after the buyer signed out leaves no tokens in the storage")
    func failedSaveDuringLogout() async throws {
        let shop = try await Shop(.publicMobile)
        let vault = FailedSaveVault()
        let client = AuthClient(provider: try shop.provider(), tokenStorage: vault)
        vault.signOut(at: client)
        #expect(await failure { try await client.login(with: SandboxBuyer()) }?.kind == .cancelled)
        #expect(vault.isEmpty && client.currentTokens == nil)
    }

    @Test("the tokens of a login that ends during a refresh stay current, and the refresh returns its own tokens")
    func loginDuringRefresh() async throws {
        let shop = try await Shop(.publicMobile)
        let transport = RefreshHook(shop.environment.transport)
        let vault = MemoryVault()
        let client = AuthClient(
            provider: try ShopifyProvider(
                shop.configuration,
                environment: IdentityEnvironment(transport: transport, clock: shop.clock)
            ),
            storefrontAccessToken: "storefront",
            tokenStorage: vault
        )
        let old = try #require(try await client.login(with: SandboxBuyer()).refreshToken)
        transport.beforeRefresh { _ = try await client.login(with: SandboxBuyer()) }
        let refreshed = try await client.refreshAccessToken(refreshToken: old)
        let current = try #require(client.currentTokens)
        #expect(current.accessToken != refreshed.accessToken && current.refreshToken != old)
        #expect(vault.tokens.refreshToken == current.refreshToken)
    }

    /// The token with another value of a claim, and so with a wrong signature.
    private func changed(_ idToken: String, _ claim: String, _ value: JSONValue?) throws -> String {
        var parts = idToken.split(separator: ".").map(String.init)
        let payload = try #require(Base64URL.decode(parts[1]))
        var claims = try #require(try JSONValue(parsing: payload).object)
        claims[claim] = value
        parts[1] = Base64URL.encode(JSONValue.object(claims).serialized)
        return parts.joined(separator: ".")
    }

    @Test(
        "after a restart, a refreshed ID token of another login than the stored one is refused, and the storage keeps its tokens",
        arguments: [
            ("sub", "999", IdentityError.Code.idTokenSubject),
            ("iss", "https://shopify.com/authentication/1", .idTokenIssuer), ("another buyer", "", .idTokenNonce),
        ]
    )
    func otherLogin(claim: String, value: String, code: IdentityError.Code) async throws {
        let shop = try await Shop(.publicMobile)
        let vault = MemoryVault()
        func client(_ storage: MemoryVault?) throws -> AuthClient {
            AuthClient(provider: try shop.provider(), tokenStorage: storage)
        }
        _ = try await client(vault).login(with: SandboxBuyer())
        let (refreshToken, idToken) = (try #require(vault.tokens.refreshToken), try #require(vault.tokens.idToken))
        let eve = try await client(nil).login(with: SandboxBuyer(email: "eve@example.com"))
        let hers = try #require(eve.idToken)
        let other = try value.isEmpty ? hers : changed(idToken, claim, .string(value))
        shop.shopify.planFault(.member("id_token", .string(other)), on: .token)
        let restarted = try client(vault)
        let error = await failure {
            try await restarted.refreshAccessToken(refreshToken: refreshToken, idToken: idToken)
        }
        #expect(error?.code == code && error?.isAttackSuspected == true)
        #expect(restarted.currentTokens == nil)
        #expect(vault.tokens.refreshToken == refreshToken && vault.tokens.idToken == idToken)
    }

    @Test("a stored ID token that is damaged or of another issuer is refused before the refresh token is sent")
    func unusableIDToken() async throws {
        let shop = try await Shop(.publicMobile)
        let tokens = try await AuthClient(provider: try shop.provider()).login(with: SandboxBuyer())
        let (refreshToken, idToken) = (try #require(tokens.refreshToken), try #require(tokens.idToken))
        let client = AuthClient(provider: try shop.provider())
        for (idToken, code) in [
            ("x", IdentityError.Code.idTokenMalformed), (try changed(idToken, "sub", nil), .idTokenMalformed),
            (try changed(idToken, "iss", .string("https://id.example")), .issuerChanged),
            (try changed(idToken, "iss", .string("https://shopify.com/authentication/1")), .issuerChanged),
        ] {
            let error = await failure {
                try await client.refreshAccessToken(refreshToken: refreshToken, idToken: idToken)
            }
            #expect(error?.code == code)
        }
        #expect(shop.shopify.requests(to: .token).count == 1)
    }

    @Test("a client that was created after the login keeps the stored ID token when it refreshes")
    func restart() async throws {
        let shop = try await Shop(.publicMobile)
        let vault = MemoryVault()
        func client() throws -> AuthClient {
            AuthClient(provider: try shop.provider(), storefrontAccessToken: "storefront", tokenStorage: vault)
        }
        let idToken = try #require(try await client().login(with: SandboxBuyer()).idToken)
        let restarted = try client()
        let first = try await restarted.refreshAccessToken(
            refreshToken: try #require(vault.tokens.refreshToken),
            idToken: vault.tokens.idToken
        )
        // The stored ID token was not verified, so the response has no verified buyer.
        #expect(throws: IdentityError.self) { _ = try first.tokens }
        #expect(restarted.getIdToken() == idToken && vault.tokens.idToken == idToken)
        _ = try await restarted.refreshAccessToken(refreshToken: try #require(vault.tokens.refreshToken))
        #expect(restarted.getIdToken() == idToken)
        // The buyer is the one of the response's verified ID token.
        shop.shopify.planFault(.member("id_token", .string(idToken)), on: .token)
        let refreshed = try await restarted.refreshAccessToken(refreshToken: try #require(vault.tokens.refreshToken))
        #expect(try refreshed.tokens.buyer.subject.isEmpty == false)
        // A client that does not get the stored ID token has none after the refresh, and the storage keeps it.
        let other = try client()
        _ = try await other.refreshAccessToken(refreshToken: try #require(vault.tokens.refreshToken))
        #expect(other.getIdToken() == nil && vault.tokens.idToken == idToken)
        try await other.logout(idToken: try #require(vault.tokens.idToken))
        #expect(vault.tokens.idToken == nil)
    }
}
