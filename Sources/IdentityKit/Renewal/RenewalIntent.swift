internal import FoundationEssentials

/// What is written down before a refresh token is sent: that it may be spent from now on.
///
/// Found by somebody who holds the session's lock, it means that the answer was lost: the session is in doubt until the next
/// answer, or until an answer that was kept has been judged.
struct RenewalIntent: Sendable {
    /// The correlation id of the attempt, so that a log tells which one died.
    var attempt: String
    /// When it began.
    var startedAt: Date
    /// How many attempts in a row have left the session in doubt, this one included.
    var count: Int
    /// Whether nobody is at it any more, which lets others begin without waiting for the lease.
    var isAbandoned = false
    /// Whether another process has found the claim while its holder may be alive.
    ///
    /// Writing this proves that the store takes writes: from now on the holder can save an answer that the store refused before.
    var isContested = false

    var value: JSONValue {
        var object = JSONObject()
        object["attempt"] = .string(attempt)
        object["started_at"] = .date(startedAt)
        object["count"] = .integer(count)
        if isAbandoned { object["abandoned"] = .bool(true) }
        if isContested { object["contested"] = .bool(true) }
        return .object(object)
    }

    init(attempt: String, startedAt: Date, count: Int) {
        self.attempt = attempt
        self.startedAt = startedAt
        self.count = count
    }

    init?(_ value: JSONValue) {
        guard let attempt = value["attempt"]?.string, let startedAt = value["started_at"]?.date else { return nil }
        self.init(attempt: attempt, startedAt: startedAt, count: value["count"]?.number?.integer ?? 1)
        isAbandoned = value["abandoned"]?.bool ?? false
        isContested = value["contested"]?.bool ?? false
    }
}
