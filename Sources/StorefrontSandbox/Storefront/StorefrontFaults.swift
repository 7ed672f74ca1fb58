/// The planned faults of the Storefront's state.
struct StorefrontFaults: Sendable {
    var refusals: [UserError] = []
    var swallowedTokens = 0
    var throttles: [Duration] = []
    /// Moved carts, by their old tokens.
    var moves: [String: (oldKey: String, token: String, key: String)] = [:]
    /// Pending completions: their cart and the number of polls.
    var attempts: [String: (token: String, polls: Int)] = [:]
}
