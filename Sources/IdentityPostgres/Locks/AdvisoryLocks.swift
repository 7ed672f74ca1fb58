#if PostgreSQL
internal import IdentityKit
internal import Synchronization

/// Takes the server's advisory locks on the direct connection, which all holders in this process share.
///
/// A store uses them only if the app chose them; by default it uses ``LeaseLocks``.
///
/// The server releases these locks when it notices the end of the connection. Locks of one connection do not exclude each other, so this
/// type also records the holders in this process.
final class AdvisoryLocks: Sendable {
    private let client: Client
    private let sql: Statements
    private let inside = Mutex<Set<Int64>>([])

    /// The pause between two checks whether the server still responds on the connection.
    private static let interval = Duration.seconds(2)
    /// How long a lock counts as held, from the time at which the last successful check was sent.
    static let trust = Duration.seconds(12)

    init(client: Client, sql: Statements) {
        self.client = client
        self.sql = sql
    }

    /// A lock that this process holds.
    final class Lock: Sendable {
        let key: Int64
        let link: Int
        private let client: Client
        private let confirmed: Mutex<ContinuousClock.Instant>

        init(key: Int64, link: Int, client: Client, sentAt time: ContinuousClock.Instant) {
            self.key = key
            self.link = link
            self.client = client
            confirmed = Mutex(time)
        }

        /// How much longer the lock is known to be held; zero or less if that is not known, for example after the connection has ended.
        var remaining: Duration {
            guard client.directState.isAlive(link) else { return .zero }
            return confirmed.withLock { $0 + AdvisoryLocks.trust - .now }
        }

        func confirm(sentAt time: ContinuousClock.Instant) { confirmed.withLock { $0 = max($0, time) } }
    }

    /// Tries to take a lock; nil if another task or another process holds it.
    func take(_ key: Int64) async throws -> Lock? {
        guard inside.withLock({ $0.insert(key).inserted }) else { return nil }
        var isTaken = false
        defer { if !isTaken { inside.withLock { _ = $0.remove(key) } } }
        let sent = ContinuousClock.now
        let reply = try await client.repeating { deadline, _ in
            try await client.send(sql.tryAdvisoryLock, [.integer(key)], to: .direct, by: deadline)
        }
        isTaken = reply.rows.first?.flag(0) == true
        return isTaken ? Lock(key: key, link: reply.link, client: client, sentAt: sent) : nil
    }

    /// Checks every two seconds whether the server still responds, until the task is cancelled or the lock's connection ends.
    func watch(_ lock: Lock) async {
        while !Task.isCancelled, client.directState.isAlive(lock.link) {
            try? await Task.sleep(for: Self.interval, clock: .continuous)
            guard !Task.isCancelled else { return }
            let sent = ContinuousClock.now
            // A ping that does not end in time closes the connection, which releases all advisory locks of the process. So the ping has
            // nearly the whole time for which the lock counts as held.
            let reply = try? await client.send(sql.ping, [], to: .direct, by: sent + Self.trust - Self.interval)
            if reply?.link == lock.link { lock.confirm(sentAt: sent) }
        }
    }

    func end(_ lock: Lock, notifying channel: String?) async {
        // If the connection has ended, the server releases the lock itself.
        if client.directState.isAlive(lock.link) {
            let statement = sql.advisoryUnlock(notifying: channel)
            do {
                _ = try await client.send(statement, [.integer(lock.key)], to: .direct, by: client.deadline)
            } catch {
                // The server keeps the lock until the connection ends, so the connection is closed. Other tasks then lose their locks on
                // this connection: ``Lock/remaining`` becomes zero.
                client.dropDirect(lock.link)
            }
        }
        inside.withLock { _ = $0.remove(lock.key) }
    }
}
#endif
