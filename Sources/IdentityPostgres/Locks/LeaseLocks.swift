#if PostgreSQL
internal import IdentityCrypto
internal import IdentityKit
internal import IdentityPlatform
internal import Synchronization

/// Takes leases and renews them while they are held.
///
/// A lease is a row with a counter. Its holder increments the counter regularly. A process that sees the same count for the length of the
/// lease may take the lease over. Each process measures this time with its own continuous clock, which never jumps.
struct LeaseLocks: Sendable {
    let client: Client
    let sql: Statements
    private let seen = SeenLeases()
    private static let sweepChunk: Int64 = 512

    /// Tries to take a lease; nil if another task or another process holds it.
    func take(_ key: Int64, lasting duration: Duration) async throws -> Lease? {
        let lease = Lease(self, key: key, holder: try SystemRandom().bytes(16), duration: duration)
        do {
            let isTaken = try await client.repeating { deadline, _ in
                // This process measures the lease from the moment before it sends the request. Another process starts to measure later,
                // after it has read the lease. So this process stops relying on the lease before another process takes the lease over.
                let sent = ContinuousClock.now
                let over = seen.expired(key)
                let values: [Value] = [
                    .integer(key), .bytes(lease.holder), lease.milliseconds, over.map { .bytes($0.holder) } ?? .null,
                    over.map { .integer($0.renewals) } ?? .null,
                ]
                let rows = try await client.perform(sql.takeLease, values, needsWriting: true, by: deadline)
                guard let row = rows.first else { return false }
                guard row.flag(0) else {
                    if !row.isNull(1) { note(row, key, from: 1) }
                    return false
                }
                seen.remove(key)
                lease.confirm(sentAt: sent)
                return true
            }
            return isTaken ? lease : nil
        } catch {
            // The server may have stored the lease although the request failed. Without this release, other processes would wait until
            // the lease ends.
            Task { await lease.end(notifying: nil) }
            throw error
        }
    }

    /// Removes the leases that this process has seen unchanged for their whole length.
    ///
    /// A lease that this process sees for the first time is only recorded. A later call removes the lease if it has been unchanged for its
    /// whole length.
    func sweep() async throws {
        var last: Int64 = -1
        while true {
            let rows = try await client.rows(sql.listLeases, [.integer(last), .integer(Self.sweepChunk)]).all
            for row in rows {
                last = row.integer(3)
                note(row, last, from: 0)
                guard let over = seen.expired(last) else { continue }
                _ = try await client.write(sql.sweepLease, .integer(last), .bytes(over.holder), .integer(over.renewals))
                seen.remove(last)
            }
            guard rows.count == Self.sweepChunk else { return }
        }
    }

    private func note(_ row: Row, _ key: Int64, from column: Int32) {
        let version = SeenLeases.Version(holder: row.bytes(column), renewals: row.integer(column + 1))
        seen.record(version, of: key, lasting: .milliseconds(row.integer(column + 2)))
    }
}

final class Lease: DatabaseLock {
    private let locks: LeaseLocks
    let key: Int64
    let holder: [UInt8]
    let duration: Duration
    /// The time until which no other holder can have the lease; nil after the lease was lost.
    private let validUntil = Mutex<ContinuousClock.Instant?>(.now)
    /// How long before the end of the lease its holder must stop relying on it.
    ///
    /// The clocks of two machines differ in speed, and a request that the holder sends at the last moment needs time to reach the network.
    private static let margin = Duration.milliseconds(500)

    init(_ locks: LeaseLocks, key: Int64, holder: [UInt8], duration: Duration) {
        self.locks = locks
        self.key = key
        self.holder = holder
        self.duration = duration
    }

    var milliseconds: Value { .integer(Int64(duration / .milliseconds(1))) }

    /// The continuous clock also counts the time while the process is stopped or the machine sleeps.
    var remaining: Duration { validUntil.withLock { $0.map { $0 - .now } ?? .zero } }

    /// Records that the server confirmed a request that was sent at this time.
    func confirm(sentAt time: ContinuousClock.Instant) {
        let end = time + duration - Self.margin
        validUntil.withLock { if let known = $0 { $0 = max(known, end) } }
    }

    func lose() {
        validUntil.withLock { $0 = nil }
    }

    func keep() async {
        var pause = duration / 6
        while !Task.isCancelled, validUntil.withLock({ $0 != nil }) {
            try? await Task.sleep(for: pause, clock: .continuous)
            guard !Task.isCancelled else { return }
            let sent = ContinuousClock.now
            do {
                let deadline = sent + duration / 4
                let rows = try await locks.client.perform(locks.sql.renewLease, name, needsWriting: true, by: deadline)
                if rows.changed == 1 { confirm(sentAt: sent) } else { lose() }
                pause = duration / 6
            } catch {
                // The next attempt follows soon, so that a single failed request, for example on a broken connection, does not lose the
                // lease.
                pause = Jitter.duration(from: .milliseconds(25), to: .milliseconds(50))
            }
        }
    }

    /// Releases the lease; if that fails, the lease expires.
    func end(notifying channel: String?) async {
        _ = try? await locks.client.rows(locks.sql.endLease(notifying: channel), name)
    }

    private var name: [Value] { [.integer(key), .bytes(holder)] }
}
#endif
