#if PostgreSQL
public import FoundationEssentials
public import IdentityKit

extension PostgresStore: ExpirySweeping {
    private static let sweepChunk = 512
    /// How many sessions one statement reads: it must end within the limit of a call, also if none of them has expired.
    ///
    /// There is no index on the expiry of sessions, because each save would have to change it.
    static let page: Int64 = 2_048

    /// Removes rows that expired before the given time and by the database's clock, some at a time, and rows that have been in
    /// quarantine for 30 days.
    public func sweep(expiredBefore date: Date) async throws -> Int {
        try await leases.sweep()
        _ = try await client.write(sql.sweepQuarantine)
        let spooled = try await spool?.sweep(expiredBefore: min(date, clock.now)) ?? 0
        return try await spooled + sweep(sql.sweepAttempts, date) + sweep(sql.sweepUsedTokens, date)
            + sweepSessions(date)
    }

    private func sweep(_ statement: Statement, _ date: Date) async throws -> Int {
        var total = 0
        while true {
            let removed = try await client.write(statement, .integer(Int64(Self.sweepChunk)), .date(date))
            total += removed
            if removed < Self.sweepChunk { return total }
        }
    }

    private func sweepSessions(_ date: Date) async throws -> Int {
        try await page(sql.sweepSessions, .date(date))
    }

    /// Runs a statement for all sessions, a limited number at a time, and returns how many it changed.
    func page(_ statement: Statement, _ values: Value...) async throws -> Int {
        var total = 0
        var last: Int64 = -1
        while let row = try await client.rows(statement, [.integer(last), .integer(Self.page)] + values).first,
            !row.isNull(0)
        {
            total += Int(row.integer(1))
            last = row.integer(0)
        }
        return total
    }
}
#endif
