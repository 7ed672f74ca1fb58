internal import FoundationEssentials
internal import IdentityHTTP
internal import IdentityKit

/// A real provider with an injected fault.
struct FaultyProvider: JournaledRefreshing {
    let inner: any JournaledRefreshing
    let mutant: Mutant
    let clock: any IdentityClock

    var descriptor: ProviderDescriptor { inner.descriptor }

    func authorizationRequest(_ options: LoginOptions) async throws -> AuthorizationRequest {
        try await inner.authorizationRequest(options)
    }
    func exchange(_ callback: LoginCallback, for attempt: LoginAttempt) async throws -> TokenSet {
        try await inner.exchange(callback, for: attempt)
    }
    func refresh(_ tokens: TokenSet) async throws -> TokenSet { try await inner.refresh(tokens) }
    func logoutURL(for tokens: TokenSet, returningTo uri: String?) async throws -> HTTPURL? {
        try await inner.logoutURL(for: tokens, returningTo: uri)
    }
    func prepareRefresh(of tokens: TokenSet) async throws { try await inner.prepareRefresh(of: tokens) }
    func requestRefresh(of tokens: TokenSet, under lock: HeldLock) async throws(RefreshRefusal) -> RefreshResponse {
        try await inner.requestRefresh(of: tokens, under: lock)
    }

    func tokens(from response: RefreshResponse, refreshing tokens: TokenSet) async throws -> TokenSet {
        var response = response
        if mutant == .validatesByNow { response.receivedAt = clock.now }
        do {
            return try await inner.tokens(from: response, refreshing: tokens)
        } catch let error as IdentityError where mutant == .resendsRefused && error.kind == .rejected {
            throw RefreshRefusal(IdentityError(.rejected, .tokenResponseInvalid, error.message))
        }
    }
}
