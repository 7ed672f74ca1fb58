internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC
internal import Synchronization

/// A provider that reports a response that is validated before it was stored.
struct OrderCheckingProvider: JournaledRefreshing {
    /// What the current task has done with the response to its claim.
    final class Journal: Sendable {
        enum State: Equatable { case idle, claimed, written }
        private let state = Mutex(State.idle)
        let session: SessionID

        init(_ session: SessionID) { self.session = session }
        func note(_ new: State) { state.withLock { $0 = new } }
        var isMissing: Bool { state.withLock { $0 == .claimed } }
    }

    /// The journal of the session whose lock the current task holds.
    @TaskLocal static var journal: Journal?

    let inner: OpenIDProvider

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
        if let journal = Self.journal, journal.isMissing {
            Report.line("broken \(journal.session.rawValue) validated-before-stored")
        }
        return try await inner.tokens(from: response, refreshing: tokens)
    }
}
