internal import Synchronization

/// The access tokens that a server rejected right after their refresh.
///
/// Another refresh would not help.
final class RejectedTokens: Sendable {
    /// How long further rejections of a token start no refresh.
    ///
    /// A server may need some time until it accepts a new token.
    private static let memory = Duration.seconds(300)

    private let clock: any IdentityClock
    /// A token whose entry is evicted costs one more refresh.
    private let entries = Mutex(BoundedTable<SessionID, (fingerprint: String, at: Duration)>(maximum: 10_000))

    init(_ clock: any IdentityClock) {
        self.clock = clock
    }

    /// Records that a server rejected a session's refreshed tokens.
    func add(_ tokens: TokenSet, of id: SessionID) {
        guard let fingerprint = try? UnsavedTokens.fingerprint(of: tokens) else { return }
        let now = clock.elapsed
        entries.withLock { $0.insert((fingerprint, now), for: id) { now - $0.at >= Self.memory } }
    }

    /// Whether a server rejected these tokens after their refresh.
    func contains(_ tokens: TokenSet, of id: SessionID) -> Bool {
        guard let entry = entries.withLock({ $0[id] }), clock.elapsed - entry.at < Self.memory else { return false }
        return (try? UnsavedTokens.fingerprint(of: tokens)) == entry.fingerprint
    }
}

extension IdentityError {
    /// Whether a newer access token may help.
    var mayEndWithRefresh: Bool { code == .accessTokenRefused && kind == .retryLater }

    /// The error for a token that the server rejected right after its refresh.
    var afterRefresh: IdentityError {
        refusedAgain(
            .rejected,
            "The access token was rejected, even after a refresh.",
            "Compare the token's scopes and audience with what the server requires. Its explanation, if any, is in providerResponse."
        )
    }

    /// The error for a rejected token that cannot be refreshed.
    var withoutRefresh: IdentityError {
        refusedAgain(
            .signInAgain,
            "The access token was rejected, and the session has no refresh token.",
            "Let the buyer sign in again."
        )
    }

    private func refusedAgain(_ kind: Kind, _ message: String, _ hint: String) -> IdentityError {
        IdentityError(
            kind,
            code,
            message,
            hint: hint,
            reference: reference,
            providerResponse: providerResponse,
            cause: self
        )
    }
}
