#if PostgreSQL
public import FoundationEssentials
public import IdentityKit

extension PostgresStore: ExpirySweeping {
    /// How many rows one statement may read, remove or change, so that the statement ends within the time limit of a call.
    ///
    /// A sweep reads all sessions in pages of this size, because the column `retained_until` has no index. With an index, each save would
    /// have to update the index.
    private static let page = 512

    /// Removes expired rows, leases that have ended, and rows that have been in quarantine for 30 days.
    ///
    /// A row has expired only if its expiry is before the given time and before the current time of the database's clock. For a session in
    /// the spool directory, ``Configuration/clock`` is used instead of the database's clock. A lease is removed after this process has
    /// seen it unchanged for its whole length.
    ///
    /// - Returns: The number of removed sessions, pending logins, marks of used tokens and sessions in the spool directory.
    /// - Throws: `IdentityError`, for example with code `store_unavailable`. Rows that were removed before the error stay removed.
    public func sweep(expiredBefore date: Date) async throws -> Int {
        // If a step throws, the later steps do not run. The sessions come first, because their rows contain tokens.
        let total =
            try await page(sql.sweepSessions, .date(date)) + sweep(sql.sweepAttempts, .date(date))
            + sweep(sql.sweepUsedTokens, .date(date))
        try await leases.sweep()
        _ = try await sweep(sql.sweepQuarantine)
        return total + (try await spool?.sweep(expiredBefore: min(date, clock.now)) ?? 0)
    }

    private func sweep(_ statement: Statement, _ values: Value...) async throws -> Int {
        var total = 0
        while true {
            let removed = try await client.rows(statement, [.integer(Int64(Self.page))] + values).changed
            total += removed
            if removed < Self.page { return total }
        }
    }

    /// Runs a statement for all sessions, up to 512 at a time, and returns how many sessions it changed or removed.
    func page(_ statement: Statement, _ values: Value...) async throws -> Int {
        var total = 0
        var last: Int64 = -1
        while let row = try await client.rows(statement, [.integer(last), .integer(Int64(Self.page))] + values).first,
            !row.isNull(0)
        {
            total += Int(row.integer(1))
            last = row.integer(0)
        }
        return total
    }
}
#endif
