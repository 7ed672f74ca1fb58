internal import IdentityKit
internal import IdentityOIDC
internal import Synchronization
internal import TestDoubles

/// A provider that reports a response that is validated before it was stored.
struct OrderCheckingProvider: WrappingProvider, JournaledRefreshing {
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

    func tokens(from response: RefreshResponse, refreshing tokens: TokenSet) async throws -> TokenSet {
        if let journal = Self.journal, journal.isMissing {
            Report.line("broken \(journal.session.rawValue) validated-before-stored")
        }
        return try await inner.tokens(from: response, refreshing: tokens)
    }
}
