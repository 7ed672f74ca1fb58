/// What a refresh is for, so that a later caller can tell whether somebody else has reached it.
///
/// Decided by the tokens and not by the row's generation: a claim that was released changes the generation and brings no tokens.
package enum RefreshGoal: Sendable {
    /// Other tokens than these, which do not last long enough.
    case replacing(TokenSet)
    /// Any tokens, as long as they are not in doubt.
    case settling

    func isReached(by tokens: TokenSet) -> Bool {
        switch self {
        case .replacing(let old): !tokens.isSameIssue(as: old)
        case .settling: true
        }
    }
}
