/// The goal of a refresh, with which a later caller can decide whether another refresh has already reached it.
///
/// The tokens decide and not the row's generation, because a released claim changes the generation without new tokens.
package enum RefreshGoal: Sendable {
    /// Other tokens than these, which are not valid long enough.
    case replacing(TokenSet)
    /// Any tokens that are not in doubt.
    case settling

    func isReached(by tokens: TokenSet) -> Bool {
        switch self {
        case .replacing(let old): !tokens.isSameIssue(as: old)
        case .settling: true
        }
    }
}

extension TokenSet {
    /// Whether both are from the same answer of the provider.
    func isSameIssue(as other: TokenSet) -> Bool {
        guard accessToken.isEqual(to: other.accessToken) else { return false }
        switch (refreshToken, other.refreshToken) {
        case (nil, nil): return true
        case (let ours?, let theirs?): return ours.isEqual(to: theirs)
        default: return false
        }
    }
}
