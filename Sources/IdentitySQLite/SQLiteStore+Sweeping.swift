public import FoundationEssentials
public import IdentityKit

extension SQLiteStore: ExpirySweeping {
    private static let sweepChunk = 512
    private static let quarantineTime: TimeInterval = 30 * 86_400

    /// Removes sessions whose retention ended before a date, also from the spool, and other rows that expired before the date.
    ///
    /// It also removes rows that went to quarantine more than 30 days before the date, and old incomplete files of the spool. A transaction
    /// removes at most 512 rows and their attachments, so that other calls do not wait long.
    ///
    /// - Returns: The number of removed rows and spooled sessions; the attachments of expired sessions do not count.
    /// - Throws: `IdentityError`, for example with code `store_busy`. Rows that were removed before the error stay removed.
    public func sweep(expiredBefore date: Date) async throws -> Int {
        let quarantineEnd = date - Self.quarantineTime
        // If a step throws, the later steps do not run. The sessions come first, because their rows contain tokens.
        return try await sweepSessions(expiredBefore: date) + sweep(.sweepAttempts, expiredBefore: date)
            + sweep(.sweepUsedTokens, expiredBefore: date) + (logins?.sweep(expiredBefore: date) ?? 0)
            + sweep(.sweepAttachmentsOfQuarantined, expiredBefore: quarantineEnd)
            + sweep(.sweepQuarantine, expiredBefore: quarantineEnd) + spool.sweep(expiredBefore: date)
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

    /// Removes the sessions whose retention has ended, with their attachments; examines only rows whose `sweep_after` has passed.
    ///
    /// Each save can change `retained_until`, so that column has no index. The indexed column `sweep_after` is a copy of `retained_until`
    /// that is made when a row is inserted, and again when a sweep finds that the retention was extended.
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
                    // `deleteRetired` keeps a session whose retention was extended, for example by a refresh, after its row was read.
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

    /// Sets `sweep_after` of sessions to their current end of retention, so that sweeps skip them until then.
    private func postpone(_ keys: [Int64]) async throws {
        if keys.isEmpty { return }
        do {
            try await database.write { connection in
                for key in keys { _ = try connection.run(.postponeSweep, .integer(key)) }
            }
        } catch let error as IdentityError where error.code == .storeFull {
            // The disk is full. The next sweep examines these sessions again. This sweep continues, because it frees space.
        }
    }
}
