/// What the Storefront is told to do wrong where that depends on its state.
struct StorefrontFaults: Sendable {
    var refusals: [CartUserError] = []
    var swallowedTokens = 0
    var throttles: [Duration] = []
    /// Carts that have another id now, by their old tokens.
    var moves: [String: (oldKey: String, token: String, key: String)] = [:]
    /// Completions under way: their cart and how often they were asked about.
    var attempts: [String: (token: String, polls: Int)] = [:]
}
