import Foundation
import IdentityKit
import IdentitySandbox
import IdentityShopify
import Synchronization
import Testing

/// A token storage that cannot remove tokens, and that signs the buyer out while it saves tokens for the first time.
private final class SignOutVault: AuthTokenStorage {
    private let logout = Mutex<(client: AuthClient, idToken: String)?>(nil)
    private let logoutError = Mutex<IdentityError?>(nil)

    /// The error of the logout.
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

    func removeTokens() async throws { throw CocoaError(.fileWriteOutOfSpace) }
}

@Suite("The token storage of AuthClient")
struct TokenStorageTests {
    @Test("after a sign-out, a failed login or refresh is not retryLater, because its code or refresh token was used")
    func signOutMeanwhile() async throws {
        let shop = try await Shop(.publicMobile)
        let vault = SignOutVault()
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
            // A repeated logout is harmless.
            #expect(vault.error?.code == .storeFailed && vault.error?.kind == .retryLater)
            #expect(vault.error?.hint?.contains("repeat") == false)
            #expect(vault.error?.reference == nil)
            #expect(client.currentTokens == nil)
        }
    }
}
