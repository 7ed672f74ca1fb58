package import FoundationEssentials

/// The mark in a stored session that the refresh token may have been used: a process was about to send it, and has saved no response.
package struct RefreshClaim: Sendable {
    /// The correlation id of the refresh; with this id, an operator finds the refresh in the log of a crashed process.
    let correlationID: String
    let startedAt: Date
    /// Whether the process that saved the claim has given up, so that other processes do not wait for its response.
    var isAbandoned = false
    /// Whether another process waits for the response to this refresh.
    ///
    /// The waiting process saves this flag first, which proves that the store accepts writes. So the process that began the refresh can now
    /// save a response that the store refused before.
    package var isAwaited = false

    package init(correlationID: String, startedAt: Date) {
        self.correlationID = correlationID
        self.startedAt = startedAt
    }

    func write(to record: inout RecordWriter) {
        record.append("correlation_id", correlationID)
        record.append("started_at", startedAt)
        if isAbandoned { record.append("abandoned", true) }
        if isAwaited { record.append("awaited", true) }
    }

    init?(record value: RecordReader) {
        guard let correlationID = value["correlation_id"]?.string, let startedAt = value["started_at"]?.date else {
            return nil
        }
        self.init(correlationID: correlationID, startedAt: startedAt)
        isAbandoned = value["abandoned"]?.bool ?? false
        isAwaited = value["awaited"]?.bool ?? false
    }

    package var abandoned: Self {
        var claim = self
        claim.isAbandoned = true
        return claim
    }

    package var awaited: Self {
        var claim = self
        claim.isAwaited = true
        return claim
    }
}
