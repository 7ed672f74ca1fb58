/// The planned faults of the sandbox's Storefront API, its moved carts and its pending completions.
struct StorefrontFaults: Sendable {
    var refusals: [UserError] = []
    var swallowedTokens = 0
    var throttles: [Duration] = []
    /// The moved carts by their old tokens: the old key, and the new token and key.
    var moves: [String: (oldKey: String, token: String, key: String)] = [:]
    /// The pending completions by their attempt ids: the cart's token, and how often the attempt was polled.
    var attempts: [String: (token: String, polls: Int)] = [:]
}
