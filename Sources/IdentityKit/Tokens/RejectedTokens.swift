internal import Synchronization

/// The access tokens that a resource server rejected right after their refresh; another refresh of these tokens would not help.
final class RejectedTokens: Sendable {
    /// How long further rejections of the same token cause no refresh.
    private static let retention = Duration.seconds(300)

    private let clock: any IdentityClock
    /// If the table evicts a token, the next rejection of the token costs one more refresh.
    private let entries = Mutex(BoundedTable<SessionID, (fingerprint: String, at: Duration)>(maximum: 10_000))

    init(_ clock: any IdentityClock) {
        self.clock = clock
    }

    func add(_ tokens: TokenSet, of id: SessionID) {
        guard let fingerprint = try? UnsavedTokens.fingerprint(of: tokens) else { return }
        let now = clock.elapsed
        entries.withLock { $0.insert((fingerprint, now), for: id) { now - $0.at >= Self.retention } }
    }

    func contains(_ tokens: TokenSet, of id: SessionID) -> Bool {
        guard let entry = entries.withLock({ $0[id] }), clock.elapsed - entry.at < Self.retention else { return false }
        return (try? UnsavedTokens.fingerprint(of: tokens)) == entry.fingerprint
    }
}

extension IdentityError {
    /// Whether the server rejected the access token, but may accept a refreshed token.
    var mayRetryAfterRefresh: Bool { code == .accessTokenRefused && kind == .retryLater }

    var afterRefresh: IdentityError {
        refusedAgain(
            .rejected,
            "The server rejected the access token, even after a refresh.",
            """
            Read the error's providerResponse, which contains the server's explanation if the server sent one. Then compare the scopes \
            and the audience of the access token with what the server requires.
            """
        )
    }

    var withoutRefresh: IdentityError {
        refusedAgain(
            .signInAgain,
            "The server rejected the access token, and the session has no refresh token to get another one.",
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
