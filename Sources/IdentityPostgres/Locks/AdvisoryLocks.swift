#if PostgreSQL
internal import IdentityKit
internal import Synchronization

/// Takes the server's advisory locks on the direct connection, which all holders in this process share.
///
/// The server frees them when it sees the connection end. Locks of one connection do not exclude each other, so those who are
/// inside are remembered here too.
final class AdvisoryLocks: Sendable {
    private let client: Client
    private let sql: Statements
    private let inside = Mutex<Set<Int64>>([])

    /// How often a holder asks whether the connection still lives, and for how long an answer is believed.
    private static let interval = Duration.seconds(2)
    static let trust = Duration.seconds(12)

    init(client: Client, sql: Statements) {
        self.client = client
        self.sql = sql
    }

    /// A lock in the hands of this process.
    final class Hold: Sendable {
        let key: Int64
        let link: Int
        private let client: Client
        private let confirmed: Mutex<ContinuousClock.Instant>

        init(key: Int64, link: Int, client: Client, askedAt time: ContinuousClock.Instant) {
            self.key = key
            self.link = link
            self.client = client
            confirmed = Mutex(time)
        }

        /// How much longer the lock is believed to be held; zero once the connection has ended.
        var remaining: Duration {
            guard client.directState.isAlive(link) else { return .zero }
            return confirmed.withLock { $0 + AdvisoryLocks.trust - .now }
        }

        func confirm(askedAt time: ContinuousClock.Instant) { confirmed.withLock { $0 = max($0, time) } }
    }

    /// Tries to take a lock.
    ///
    /// - Returns: Nil when somebody else has it, here or elsewhere.
    func take(_ key: Int64) async throws -> Hold? {
        guard inside.withLock({ $0.insert(key).inserted }) else { return nil }
        do {
            let asked = ContinuousClock.now
            let reply = try await client.repeating { deadline, _ in
                try await client.performDirectly(sql.tryAdvisoryLock, [.integer(key)], by: deadline)
            }
            if reply.rows.first?.flag(0) == true {
                return Hold(key: key, link: reply.link, client: client, askedAt: asked)
            }
        } catch {
            inside.withLock { _ = $0.remove(key) }
            throw error
        }
        inside.withLock { _ = $0.remove(key) }
        return nil
    }

    /// Asks now and then whether the server still answers on the connection, until the task is cancelled.
    func watch(_ hold: Hold) async {
        while !Task.isCancelled, client.directState.isAlive(hold.link) {
            try? await Task.sleep(for: Self.interval, clock: .continuous)
            guard !Task.isCancelled else { return }
            let asked = ContinuousClock.now
            let reply = try? await client.performDirectly(sql.ping, [], by: asked + Self.interval)
            if reply?.link == hold.link { hold.confirm(askedAt: asked) }
        }
    }

    /// Gives a lock back.
    func end(_ hold: Hold, notifying channel: String?) async {
        // Once its connection has ended there is nothing to give back.
        if client.directState.isAlive(hold.link) {
            let statement = sql.advisoryUnlock(notifying: channel)
            do {
                _ = try await client.performDirectly(statement, [.integer(hold.key)], by: client.deadline)
            } catch {
                // The server would keep the lock for as long as the connection lives; what else it holds is taken again.
                client.dropDirect(hold.link)
            }
        }
        inside.withLock { _ = $0.remove(hold.key) }
    }
}
#endif
