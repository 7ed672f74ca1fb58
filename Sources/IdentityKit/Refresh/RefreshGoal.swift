/// What a refresh has to achieve; decides whether the refresh of another caller or process is sufficient.
///
/// A goal compares tokens, not the session's generations, because a refresh without new tokens also increases the generation.
package enum RefreshGoal: Sendable {
    /// The caller needs other tokens, for example because the given ones expire too soon.
    case replacing(TokenSet)
    /// The session must have no unfinished refresh; its tokens may be the old ones.
    case repairing

    func isReached(by tokens: TokenSet) -> Bool {
        switch self {
        case .replacing(let old): !tokens.isSameIssue(as: old)
        case .repairing: true
        }
    }

    var oldTokens: TokenSet? { if case .replacing(let old) = self { old } else { nil } }
}

extension TokenSet {
    /// Whether the access tokens are equal, and the refresh tokens are equal or both missing.
    func isSameIssue(as other: TokenSet) -> Bool {
        guard accessToken.isEqual(to: other.accessToken) else { return false }
        switch (refreshToken, other.refreshToken) {
        case (nil, nil): return true
        case (let ours?, let theirs?): return ours.isEqual(to: theirs)
        default: return false
        }
    }
}
