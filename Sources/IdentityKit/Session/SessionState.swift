/// The state of a stored session: what its payload contains, and what may happen next.
///
/// | state | meaning | next |
/// | --- | --- | --- |
/// | `active` | nothing is under way | a claim; a logout removes the session |
/// | `claimed` | the refresh token may have been sent, and no answer is stored | the answer, new tokens, the end, or back to `active` |
/// | `answered` | the raw answer is stored, and was not accepted yet. If it belongs to another login, it has a verdict | new tokens; a verdict; a claim if the answer contains no token; the end |
/// | `ended` | only a new login helps | new tokens that could not be saved before; a logout removes the session |
///
/// ``RefreshStateMachine`` makes all transitions.
package enum SessionState: Sendable {
    case active(TokenSet)
    case claimed(TokenSet, RefreshIntent)
    case answered(TokenSet, RefreshAnswer)
    /// The tokens are those of the last refresh; nil for a guest's session, which never had any.
    case ended(SessionEndReason, TokenSet?)

    /// The tokens in use; while a refresh is under way, those that it replaces.
    package var tokens: TokenSet? {
        switch self {
        case .active(let tokens), .claimed(let tokens, _), .answered(let tokens, _): tokens
        case .ended(_, let tokens): tokens
        }
    }

    /// Whether the refresh token may have been used without new tokens being stored.
    package var isInDoubt: Bool {
        switch self {
        case .claimed, .answered: true
        case .active, .ended: false
        }
    }

    /// Whether the stored answer belongs to another login, so that none of the session's tokens is handed out.
    package var hasVerdict: Bool {
        guard case .answered(_, let answer) = self else { return false }
        return answer.verdict != nil
    }

    /// Why only a new login helps; nil in every other state.
    package var endReason: SessionEndReason? {
        guard case .ended(let reason, _) = self else { return nil }
        return reason
    }
}

extension Session {
    init(_ stored: StoredSession, _ state: SessionState) {
        let tokens = state.tokens
        self.init(
            id: stored.id,
            provider: stored.provider,
            tenant: stored.tenant,
            buyer: tokens?.buyer ?? Buyer(issuer: stored.issuer, subject: stored.subject),
            claims: tokens?.claims,
            authenticatedAt: tokens?.authenticatedAt,
            scopes: tokens?.scopes ?? [],
            createdAt: stored.createdAt,
            expiresAt: tokens?.expiresAt,
            isRefreshable: tokens?.refreshToken != nil,
            isInDoubt: state.isInDoubt,
            endReason: state.endReason,
            isAttackSuspected: state.hasVerdict
        )
    }
}
