/// What a renewal is for, so that whoever comes late can tell whether somebody else has reached it.
///
/// Told by the tokens and not by the row's generation: a claim that was given back moves the generation on and brings nobody new
/// tokens.
enum RenewalGoal: Sendable {
    /// Other tokens than these, which are not good enough.
    case replacing(TokenSet)
    /// Any tokens, as long as they are not in doubt and no newer ones wait.
    case settling

    func isReached(by payload: SessionPayload) -> Bool {
        guard payload.intent == nil else { return false }
        switch self {
        case .replacing(let tokens): return !payload.tokens.isSameIssue(as: tokens)
        case .settling: return true
        }
    }
}
