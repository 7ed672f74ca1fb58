#if PostgreSQL
public import FoundationEssentials
public import IdentityKit

extension PostgresStore: ExpirySweeping {
    private static let sweepChunk = 512

    /// Removes rows that expired before the given time and by the database's clock, up to 512 at a time, and rows
    /// that have been in quarantine for 30 days.
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
        var total = 0
        var last: Int64 = -1
        while true {
            let values: [Value] = [.integer(last), .integer(Int64(Self.sweepChunk)), .date(date)]
            let removed = try await client.rows(sql.sweepSessions, values)
            total += removed.count
            guard removed.count == Self.sweepChunk else { return total }
            last = removed.all.map { $0.integer(0) }.max() ?? .max
        }
    }
}
#endif
