enum ControlCommand: String, CaseIterable, Sendable {
    case advanceClock = "advance-clock"
    case expireAccessTokens = "expire-access-tokens"
    case setAccessTokenLifetime = "set-access-token-lifetime"
    case endSessions = "end-sessions"
    case revokeTokens = "revoke-tokens"
    case rotateKeys = "rotate-keys"
    case planFault = "plan-fault"
    case removeFaults = "remove-faults"
    case setOrder = "set-order"

    var summary: String {
        switch self {
        case .advanceClock: "Advance the sandbox's clock. The clock of your app does not change."
        case .expireAccessTokens: "Let all access tokens expire now; a refresh still works."
        case .setAccessTokenLifetime: "Set the lifetime of access tokens that are issued from now on."
        case .endSessions:
            "Sign a buyer out at the providers; the OpenID provider sends logout tokens to registered apps."
        case .revokeTokens: "Revoke all tokens, or those of one buyer: a refresh gets invalid_grant."
        case .rotateKeys: "Sign with a new key from now on."
        case .planFault: "Plan a fault for the next requests to an endpoint of each provider, or of the shop."
        case .removeFaults: "Remove all planned faults."
        case .setOrder: "Change a buyer's order; creates an unknown order or buyer."
        }
    }

    /// The members of the command's JSON object, each with a text that says which values it accepts.
    var members: [(name: String, values: String)] {
        let provider = (name: "provider", values: "shopify, bolt or openid; by default all")
        return switch self {
        case .advanceClock: [("seconds", "1 to 31536000")]
        case .expireAccessTokens: [provider]
        case .setAccessTokenLifetime: [("seconds", "1 to 31536000"), provider]
        case .endSessions: [("email", "the buyer's e-mail address"), provider]
        case .revokeTokens: [("email", "the buyer's e-mail address; by default all buyers"), provider]
        case .rotateKeys: [("keepOld", "whether the old keys stay published; by default true"), provider]
        case .planFault:
            [
                ("fault", ControlFault.allCases.map(\.rawValue).joined(separator: ", ")),
                ("times", "for how many requests, 1 to 1000; by default 1"),
                ("provider", "shopify, bolt, bolt-sfcc or openid; by default all; not for a fault of the shop"),
            ]
        case .removeFaults: [("provider", "shopify, bolt, bolt-sfcc or openid; by default all providers and the shop")]
        case .setOrder:
            [
                ("email", "the buyer's e-mail address"), ("number", "the number of the order"),
                ("financialStatus", "such as PAID or REFUNDED"),
                ("fulfillmentStatus", "such as UNFULFILLED or FULFILLED"), ("cancelled", "true or false"),
            ]
        }
    }
}
