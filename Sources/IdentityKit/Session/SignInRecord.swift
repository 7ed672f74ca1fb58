internal import FoundationEssentials

/// The content of a session's attachment about the sign-in: the browser that signed in, and when the session was last used.
struct SignInRecord: Sendable {
    static let name = "sign-in"

    var browser: BuyerBrowser?
    var usedAt: Date?
}

extension SignInRecord {
    init?(_ secret: Secret) {
        guard let value = try? JSONValue(parsing: secret.revealBytes()), value.object != nil else { return nil }
        let browser = BuyerBrowser(address: value["address"]?.string, userAgent: value["user_agent"]?.string)
        self.init(browser: browser.isEmpty ? nil : browser, usedAt: value["used_at"]?.date)
    }

    var secret: Secret {
        var object = JSONObject()
        object.append("address", browser?.address.map { .string($0) })
        object.append("user_agent", browser?.userAgent.map { .string($0) })
        object.append("used_at", usedAt.map { .date($0) })
        return Secret(bytes: JSONValue.object(object).serialized)
    }
}
