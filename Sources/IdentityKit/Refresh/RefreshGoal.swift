/// The goal of a refresh, with which a later caller can decide whether another refresh has already reached it.
///
/// The tokens decide and not the row's generation, because a released claim changes the generation without new tokens.
package enum RefreshGoal: Sendable {
    /// Other tokens than these, which are not valid long enough.
    case replacing(TokenSet)
    /// Any tokens that are not in doubt.
    case repairing

    func isReached(by tokens: TokenSet) -> Bool {
        switch self {
        case .replacing(let old): !tokens.isSameIssue(as: old)
        case .repairing: true
        }
    }

    /// What new tokens lack that the replaced ones had.
    func losses(in new: TokenSet) -> TokenLosses? {
        guard case .replacing(let old) = self else { return nil }
        return TokenLosses(from: old, to: new)
    }
}

extension TokenSet {
    /// Whether both are from the same response of the provider.
    func isSameIssue(as other: TokenSet) -> Bool {
        guard accessToken.isEqual(to: other.accessToken) else { return false }
        switch (refreshToken, other.refreshToken) {
        case (nil, nil): return true
        case (let ours?, let theirs?): return ours.isEqual(to: theirs)
        default: return false
        }
    }
}
