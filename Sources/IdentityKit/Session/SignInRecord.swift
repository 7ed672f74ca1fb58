internal import FoundationEssentials

/// What is stored about a sign-in beside its session, as an attachment: the client, and when the session was used last.
struct SignInRecord: Sendable {
    /// The name of the attachment.
    static let name = "sign-in"

    var client: SignInClient?
    var usedAt: Date?

    init(client: SignInClient? = nil, usedAt: Date? = nil) {
        self.client = client
        self.usedAt = usedAt
    }

    /// Reads a record; nil if the value is none.
    init?(_ secret: Secret) {
        guard let value = try? JSONValue(parsing: secret.revealBytes()), value.object != nil else { return nil }
        let client = SignInClient(address: value["address"]?.string, userAgent: value["user_agent"]?.string)
        self.init(client: client.isEmpty ? nil : client, usedAt: value["used_at"]?.date)
    }

    /// The value of the attachment.
    var secret: Secret {
        var object = JSONObject()
        object["address"] = client?.address.map { .string($0) }
        object["user_agent"] = client?.userAgent.map { .string($0) }
        object["used_at"] = usedAt.map { .date($0) }
        return Secret(bytes: JSONValue.object(object).serialized)
    }
}
