#if PostgreSQL
internal import IdentityKit
internal import Synchronization

/// Takes PostgreSQL's advisory locks, all on the direct connection of the store.
///
/// PostgreSQL gives a lock again to the connection that already holds it. So this type also records which locks the tasks of this process
/// hold. The server releases the locks when it notices the end of the connection.
final class AdvisoryLocks: Sendable {
    let client: Client
    let sql: Statements
    private let held = Mutex<Set<Int64>>([])

    /// The pause between two checks whether the server still responds on the connection.
    static let interval = Duration.seconds(2)
    /// How long a lock counts as held, from the time at which the last successful check was sent.
    static let trust = Duration.seconds(12)

    init(client: Client, sql: Statements) {
        self.client = client
        self.sql = sql
    }

    /// Tries to take a lock; nil if another task or another process holds it.
    func take(_ key: Int64) async throws -> AdvisoryLock? {
        guard held.withLock({ $0.insert(key).inserted }) else { return nil }
        var isTaken = false
        defer { if !isTaken { released(key) } }
        let sent = ContinuousClock.now
        let reply = try await client.repeating { deadline, _ in
            try await client.send(sql.tryAdvisoryLock, [.integer(key)], to: .direct, by: deadline)
        }
        isTaken = reply.rows.first?.flag(0) == true
        return isTaken ? AdvisoryLock(self, key: key, link: reply.link, sentAt: sent) : nil
    }

    fileprivate func released(_ key: Int64) {
        held.withLock { _ = $0.remove(key) }
    }
}

final class AdvisoryLock: DatabaseLock {
    private let locks: AdvisoryLocks
    private let key: Int64
    private let link: Int
    /// When the last successful check was sent.
    private let confirmed: Mutex<ContinuousClock.Instant>

    init(_ locks: AdvisoryLocks, key: Int64, link: Int, sentAt time: ContinuousClock.Instant) {
        self.locks = locks
        self.key = key
        self.link = link
        confirmed = Mutex(time)
    }

    private var isAlive: Bool { locks.client.directState.isAlive(link) }

    var remaining: Duration { isAlive ? confirmed.withLock { $0 + AdvisoryLocks.trust - .now } : .zero }

    func keep() async {
        while !Task.isCancelled, isAlive {
            try? await Task.sleep(for: AdvisoryLocks.interval, clock: .continuous)
            guard !Task.isCancelled else { return }
            let sent = ContinuousClock.now
            // A ping that does not end in time closes the connection, which releases all advisory locks of the process. So the ping has
            // nearly the whole time for which the lock counts as held.
            let deadline = sent + AdvisoryLocks.trust - AdvisoryLocks.interval
            let reply = try? await locks.client.send(locks.sql.ping, [], to: .direct, by: deadline)
            if reply?.link == link { confirmed.withLock { $0 = max($0, sent) } }
        }
    }

    func end(notifying channel: String?) async {
        // If the connection has ended, the server releases the lock itself.
        if isAlive {
            let statement = locks.sql.advisoryUnlock(notifying: channel)
            do {
                _ = try await locks.client.send(statement, [.integer(key)], to: .direct, by: locks.client.deadline)
            } catch {
                // The release failed, so the server may keep the lock until the connection ends. Closing the connection releases the lock.
                // Other tasks lose their locks on this connection too: ``remaining`` becomes zero.
                locks.client.dropDirect(link)
            }
        }
        locks.released(key)
    }
}
#endif
