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

    /// Looks only at the rows whose end of retention had come when a sweep last looked at them, or when they were inserted.
    ///
    /// The end moves with each save and is in no index. The column `sweep_after` is, which only a sweep moves, to the present end.
    private func sweepSessions(expiredBefore date: Date) async throws -> Int {
        let limit = date.timeIntervalSinceReferenceDate
        var total = 0
        var last: (sweepAfter: Double, key: Int64) = (-.infinity, -1)
        while true {
            let after = last
            let rows = try await database.read { connection in
                try connection.all(
                    .listSweepable,
                    .date(date),
                    .real(after.sweepAfter),
                    .integer(after.key),
                    .integer(Int64(Self.sweepChunk))
                ) { (sweepAfter: $0.real(0), key: $0.integer(1), retainedUntil: $0.real(2)) }
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
            try await postpone(rows.filter { $0.retainedUntil >= limit }.map(\.key))
            guard rows.count == Self.sweepChunk, let row = rows.last else { return total }
            last = (row.sweepAfter, row.key)
        }
    }

    /// Lets sweeps skip sessions until their present end of retention.
    private func postpone(_ keys: [Int64]) async throws {
        if keys.isEmpty { return }
        do {
            try await database.write { connection in
                for key in keys { _ = try connection.run(.postponeSweep, .integer(key)) }
            }
        } catch let error as IdentityError where error.code == .storeFull {
            // The next sweep looks at them again. This one continues, because it frees space.
        }
    }
}
