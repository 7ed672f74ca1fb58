internal import IdentityCrypto
internal import IdentityKit
internal import Synchronization

/// Takes leases, which are rows with an end on the server's clock, and renews them while they are held.
struct LeaseKeeper: Sendable {
    let client: Client
    let sql: Statements

    /// Tries to take a lease.
    ///
    /// - Returns: Nil when somebody else has it.
    func take(_ key: Int64, lasting duration: Duration) async throws -> Lease? {
        let lease = Lease(key: key, holder: try SystemRandom().bytes(16), duration: duration)
        do {
            let isTaken = try await client.repeating { deadline, _ in
                // Before the request leaves: the server counts from a later moment.
                let asked = ContinuousClock.now
                let values: [Value] = [.integer(key), .bytes(lease.holder), lease.milliseconds]
                let isTaken =
                    try await client.perform(sql.takeLease, values, needsWriting: true, by: deadline).changed == 1
                if isTaken { lease.confirm(askedAt: asked) }
                return isTaken
            }
            return isTaken ? lease : nil
        } catch {
            // It may have been taken all the same, and would keep others waiting for nothing.
            Task { await end(lease, notifying: nil) }
            throw error
        }
    }

    /// Renews a lease until the task is cancelled or the lease is lost.
    func renew(_ lease: Lease) async {
        var pause = lease.duration / 6
        while !Task.isCancelled, !lease.isLost {
            try? await Task.sleep(for: pause, clock: .continuous)
            guard !Task.isCancelled else { return }
            let asked = ContinuousClock.now
            let values: [Value] = [.integer(lease.key), .bytes(lease.holder), lease.milliseconds]
            do {
                let deadline = asked + lease.duration / 4
                let isOurs =
                    try await client.perform(sql.renewLease, values, needsWriting: true, by: deadline).changed == 1
                if isOurs { lease.confirm(askedAt: asked) } else { lease.lose() }
                pause = lease.duration / 6
            } catch {
                // Asked again at once, on another connection: one that breaks must not cost the lease.
                pause = Jitter.duration(from: .milliseconds(25), to: .milliseconds(50))
            }
        }
    }

    /// Gives a lease back; where that fails it ends by itself.
    func end(_ lease: Lease, notifying channel: String?) async {
        let values: [Value] = [.integer(lease.key), .bytes(lease.holder)]
        _ = try? await client.repeating { deadline, _ in
            try await client.perform(sql.endLease(notifying: channel), values, needsWriting: true, by: deadline)
        }
    }
}

/// A lease in the hands of this process.
final class Lease: Sendable {
    let key: Int64
    let holder: [UInt8]
    let duration: Duration
    /// Until when two thirds of it certainly are left; nil once it is lost.
    private let validUntil = Mutex<ContinuousClock.Instant?>(.now)

    init(key: Int64, holder: [UInt8], duration: Duration) {
        self.key = key
        self.holder = holder
        self.duration = duration
    }

    var milliseconds: Value { .integer(Int64(duration / .milliseconds(1))) }

    /// Whether it lasts for two thirds of its time yet, so that what is begun now is over before anybody else can have it.
    ///
    /// The continuous clock goes on while the process is stopped, or the machine asleep.
    var isHeld: Bool { validUntil.withLock { $0.map { .now < $0 } ?? false } }

    var isLost: Bool { validUntil.withLock { $0 == nil } }

    /// The server has said yes to what was asked at a time.
    func confirm(askedAt time: ContinuousClock.Instant) {
        let end = time + duration / 3
        validUntil.withLock { if let known = $0 { $0 = max(known, end) } }
    }

    func lose() {
        validUntil.withLock { $0 = nil }
    }
}
