internal import FoundationEssentials
package import IdentityHTTP
package import IdentityKit
internal import Synchronization

/// A provider that rotates refresh tokens at every use and ends the session when one is used twice.
///
/// It runs in memory on the clock of the test, so that tests can force interleavings.
package final class StrictProvider: IdentityProvider {
    private struct State {
        var exchanges = 0
        var refreshes = 0
        var reuses = 0
        var live: [String: Bool] = [:]
        var serial = 0
        var failures: [any Error] = []
        var gate: (@Sendable () async -> Void)?
    }

    private let state = Mutex(State())
    package let clock: any IdentityClock
    package let lifetime: Double
    package let descriptor: ProviderDescriptor
    /// The issuer that logins expect.
    package let issuer: String?

    package init(
        clock: any IdentityClock,
        lifetime: Double = 3600,
        name: String = "strict",
        tenant: String = "",
        redirectURI: String? = nil,
        issuer: String? = nil,
        timeout: Duration? = nil
    ) {
        descriptor = ProviderDescriptor(
            name: name,
            kind: "test",
            clientID: "client",
            redirectURI: redirectURI,
            tenant: tenant,
            timeout: timeout
        )
        self.clock = clock
        self.lifetime = lifetime
        self.issuer = issuer
    }

    package var exchanges: Int { state.withLock { $0.exchanges } }
    package var refreshes: Int { state.withLock { $0.refreshes } }
    package var reuses: Int { state.withLock { $0.reuses } }

    /// The errors of the next refreshes, in order; these refreshes do not use the token.
    package func fail(with errors: [any Error]) {
        state.withLock { $0.failures = errors }
    }

    /// Every refresh waits for this closure before it returns.
    package func hold(_ gate: (@Sendable () async -> Void)?) {
        state.withLock { $0.gate = gate }
    }

    package func revokeAll() {
        state.withLock { $0.live = [:] }
    }

    package func authorizationRequest(_ options: LoginOptions) async throws -> AuthorizationRequest {
        let serial = state.withLock { state in
            state.serial += 1
            return state.serial
        }
        let attempt = LoginAttempt(
            provider: descriptor.name,
            state: Secret("state-\(serial)"),
            issuer: issuer,
            redirectURI: options.redirectURI ?? descriptor.redirectURI,
            createdAt: clock.now,
            expiresAt: clock.now
        )
        return AuthorizationRequest(
            url: try HTTPURL("https://id.example/authorize?state=state-\(serial)"),
            attempt: attempt
        )
    }

    package func exchange(_ callback: LoginCallback, for attempt: LoginAttempt) async throws -> TokenSet {
        state.withLock { $0.exchanges += 1 }
        if try callback.value(of: "error") != nil { throw IdentityError(.rejected, .accessDenied, "Denied.") }
        guard try callback.value(of: "code") != nil else {
            throw IdentityError(.rejected, .callbackInvalid, "No code.")
        }
        return mint(Buyer(issuer: "https://id.example", subject: "buyer-1"))
    }

    package func refresh(_ tokens: TokenSet) async throws -> TokenSet {
        let (gate, failure) = state.withLock { state in
            state.refreshes += 1
            return (state.gate, state.failures.isEmpty ? nil : state.failures.removeFirst())
        }
        await gate?()
        if let failure { throw failure }
        let spent = tokens.refreshToken?.reveal() ?? ""
        let isLive = state.withLock { state in
            guard state.live.removeValue(forKey: spent) != nil else {
                state.reuses += 1
                state.live = [:]
                return false
            }
            return true
        }
        guard isLive else { throw IdentityError(.signInAgain, .invalidGrant, "Spent.") }
        return mint(tokens.buyer)
    }

    package func logoutURL(for tokens: TokenSet, returningTo postLogoutRedirectURI: String?) async throws -> HTTPURL? {
        try HTTPURL("https://id.example/logout")
    }

    package func mint(_ buyer: Buyer) -> TokenSet {
        let serial = state.withLock { state in
            state.serial += 1
            state.live["refresh-\(state.serial)"] = true
            return state.serial
        }
        return TokenSet(
            buyer: buyer,
            accessToken: Secret("access-\(serial)"),
            refreshToken: Secret("refresh-\(serial)"),
            scopes: ["openid"],
            issuedAt: clock.now,
            expiresAt: clock.now + lifetime
        )
    }
}
