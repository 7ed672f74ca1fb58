public import FoundationEssentials
public import IdentityKit

extension SQLiteStore: ExpirySweeping {
    private static let sweepChunk = 512
    /// How long a row stays in quarantine before a sweep removes it.
    private static let quarantineTime: TimeInterval = 30 * 86_400

    /// Removes expired rows, some hundred at a time, so that other callers can work in between.
    public func sweep(expiredBefore date: Date) async throws -> Int {
        try await sweep(.sweepAttempts, expiredBefore: date) + sweep(.sweepUsedTokens, expiredBefore: date)
            + sweep(.sweepQuarantine, expiredBefore: date - Self.quarantineTime) + sweepSessions(expiredBefore: date)
            + spool.sweep(expiredBefore: date)
    }

    private func sweep(_ query: Query, expiredBefore date: Date) async throws -> Int {
        var total = 0
        while true {
            let removed = try await database.write { connection in
                try connection.run(query, .date(date), .integer(Int64(Self.sweepChunk)))
            }
            total += removed
            if removed < Self.sweepChunk { return total }
        }
    }

    /// The end of retention changes with each save, so it is in no index: all rows are read in the order of their keys.
    private func sweepSessions(expiredBefore date: Date) async throws -> Int {
        let limit = date.timeIntervalSinceReferenceDate
        var total = 0
        var last: Int64 = -1
        while true {
            let after = last
            let rows = try await database.read { connection in
                try connection.all(.listRetention, .integer(after), .integer(Int64(Self.sweepChunk))) {
                    (key: $0.integer(0), retainedUntil: $0.real(1))
                }
            }
            let retired = rows.filter { $0.retainedUntil < limit }.map(\.key)
            if !retired.isEmpty {
                total += try await database.write { connection in
                    var removed = 0
                    // A session that was refreshed in the meantime stays.
                    for key in retired where try connection.run(.deleteRetired, .integer(key), .date(date)) == 1 {
                        _ = try connection.run(.deleteAttachments, .integer(key))
                        removed += 1
                    }
                    return removed
                }
            }
            guard rows.count == Self.sweepChunk, let key = rows.last?.key else { return total }
            last = key
        }
    }
}
