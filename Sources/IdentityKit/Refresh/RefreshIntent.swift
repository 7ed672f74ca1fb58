package import FoundationEssentials

/// What a claim stores before a refresh token is sent: the token may be used from now on.
///
/// Who finds it while holding the session's lock knows that the answer was lost.
package struct RefreshIntent: Sendable {
    /// The correlation id of the attempt, for the log of the process that died.
    let attempt: String
    /// When the attempt began.
    let startedAt: Date
    /// Whether the process that made the claim has given up: nobody has to wait for an answer of its.
    var isAbandoned = false
    /// Whether another process has found the claim while its holder may be alive.
    ///
    /// Writing this proves that the store takes writes: from then on the holder can save an answer that the store refused before.
    var isContested = false

    package init(attempt: String, startedAt: Date) {
        self.attempt = attempt
        self.startedAt = startedAt
    }

    /// The intent as JSON.
    var value: JSONValue {
        var object = JSONObject()
        object["attempt"] = .string(attempt)
        object["started_at"] = .date(startedAt)
        if isAbandoned { object["abandoned"] = .bool(true) }
        if isContested { object["contested"] = .bool(true) }
        return .object(object)
    }

    init?(_ value: JSONValue) {
        guard let attempt = value["attempt"]?.string, let startedAt = value["started_at"]?.date else { return nil }
        self.init(attempt: attempt, startedAt: startedAt)
        isAbandoned = value["abandoned"]?.bool ?? false
        isContested = value["contested"]?.bool ?? false
    }

    /// The same intent, given up.
    package var abandoned: Self {
        var intent = self
        intent.isAbandoned = true
        return intent
    }

    /// The same intent, found by another process.
    var contested: Self {
        var intent = self
        intent.isContested = true
        return intent
    }
}
