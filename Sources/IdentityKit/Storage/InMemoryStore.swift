public import FoundationEssentials
internal import Synchronization

/// A store in memory: for tests, and for apps that may lose all sessions when they stop.
///
/// ```swift
/// let sessions = SessionManager(providers: providers, store: InMemoryStore(), environment: environment)
/// ```
public final class InMemoryStore: SessionStore, SessionReplacing, UsedTokenStore, ExpirySweeping {
    private struct State {
        private(set) var sessions: [SessionID: StoredSession] = [:]
        /// The number of sessions of each tenant.
        private(set) var counts: [ByteKey: Int] = [:]
        var attachments: [SessionID: [ByteKey: SessionAttachment]] = [:]
        var attempts: ExpiringTable<StoredLoginAttempt>
        var usedTokens: ExpiringTable<Void>
        /// One counter for all attachments, so that an attachment that is removed and added again gets a new revision.
        var lastRevision = StoredSession.firstGeneration

        mutating func put(_ session: StoredSession) {
            _ = drop(session.id)
            sessions[session.id] = session
            counts[ByteKey(session.tenant), default: 0] += 1
        }

        mutating func drop(_ id: SessionID) -> StoredSession? {
            guard let session = sessions.removeValue(forKey: id) else { return nil }
            let tenant = ByteKey(session.tenant)
            counts[tenant, default: 0] -= 1
            if counts[tenant] == 0 { counts[tenant] = nil }
            return session
        }
    }

    private let state: Mutex<State>
    private let maximumSessionsPerTenant: Int?
    private let clock: any IdentityClock
    private let locks = InMemoryLocks()

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - maximumAttempts: The maximum number of pending logins and logouts of each tenant. At the limit, each new one evicts the tenant's
    ///     pending login or logout that expires first.
    ///   - maximumUsedTokens: The maximum number of tokens that are marked as used. At the limit, expired marks are removed. If no mark has
    ///     expired, ``markUsed(_:until:)`` fails with ``IdentityError/Code/storeFull``.
    ///   - maximumSessionsPerTenant: The maximum number of sessions of a tenant; nil, the default, means no limit. At the limit, saving a
    ///     new session fails with ``IdentityError/Code/storeFull``, unless it replaces another session of the tenant.
    ///   - clock: The clock for the expiry of used tokens.
    public init(
        maximumAttempts: Int = 10_000,
        maximumUsedTokens: Int = 100_000,
        maximumSessionsPerTenant: Int? = nil,
        clock: any IdentityClock = SystemClock()
    ) {
        self.clock = clock
        self.maximumSessionsPerTenant = maximumSessionsPerTenant.map { max(1, $0) }
        let attempts = ExpiringTable<StoredLoginAttempt>(maximum: maximumAttempts)
        state = Mutex(State(attempts: attempts, usedTokens: ExpiringTable(maximum: maximumUsedTokens)))
    }

    /// Adds a new session.
    ///
    /// - Throws: ``IdentityError`` of kind ``IdentityError/Kind/rejected`` when a session with this id exists, and with code
    ///   ``IdentityError/Code/storeFull`` when the tenant has the maximum number of sessions.
    public func insert(_ session: StoredSession) async throws {
        try insert(session, maximum: maximumSessionsPerTenant)
    }

    package func insertReplacement(_ session: StoredSession) async throws {
        try insert(session, maximum: nil)
    }

    private func insert(_ session: StoredSession, maximum: Int?) throws {
        try state.withLock { state in
            guard state.sessions[session.id] == nil else { throw IdentityError.sessionExists }
            let count = state.counts[ByteKey(session.tenant)] ?? 0
            guard count < maximum ?? .max else { throw IdentityError.tenantFull }
            state.put(session.saved)
        }
    }

    /// Returns the session with this id; nil if the session does not exist.
    public func session(_ id: SessionID) async throws -> StoredSession? {
        state.withLock { $0.sessions[id] }
    }

    /// Replaces a session if it still has the expected generation; returns false otherwise.
    public func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool {
        state.withLock { state in
            guard state.sessions[session.id]?.generation == generation else { return false }
            state.put(session.saved)
            return true
        }
    }

    /// Removes a session with its attachments and returns both; nil if the session does not exist.
    public func remove(_ id: SessionID) async throws -> RemovedSession? {
        state.withLock { state in
            guard let session = state.drop(id) else { return nil }
            let attached = state.attachments.removeValue(forKey: id) ?? [:]
            let named = attached.map { ($0.key.text, $0.value.payload) }
            return RemovedSession(session: session, attachments: Dictionary(named, uniquingKeysWith: { $1 }))
        }
    }

    /// Returns the sessions that match, oldest first.
    public func sessions(matching filter: SessionFilter) async throws -> [StoredSession] {
        state.withLock { Array($0.sessions.values) }
            .filter(filter.matches)
            .sorted(by: StoredSession.isOlder)
    }

    /// Runs the body while no other task holds the lock.
    public func withLock<Result: Sendable>(
        _ name: LockName,
        waitingUpTo limit: Duration,
        _ body: @Sendable (HeldLock) async throws -> Result
    ) async throws -> Result {
        try await locks.withLock(name, waitingUpTo: limit, body)
    }

    /// Adds a pending login or logout.
    public func insert(_ attempt: StoredLoginAttempt) async throws {
        state.withLock { state in
            state.attempts.insert(attempt, for: attempt.key, in: attempt.tenant, until: attempt.expiresAt)
        }
    }

    /// Removes a pending login or logout and returns it, unless `check` throws; returns nil for an unknown key.
    public func takeLoginAttempt(
        _ key: String,
        after check: @escaping @Sendable (StoredLoginAttempt) throws -> Void
    ) async throws -> StoredLoginAttempt? {
        try state.withLock { state in
            guard let attempt = state.attempts[key] else { return nil }
            try check(attempt)
            return state.attempts.take(key)
        }
    }

    /// Whether a key is marked as used.
    public func isUsed(_ key: String) async throws -> Bool {
        state.withLock { $0.usedTokens[key] != nil }
    }

    /// Marks a key as used; returns false if the key was marked already.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/storeFull`` when the store is full and no mark has expired.
    public func markUsed(_ key: String, until expiry: Date) async throws -> Bool {
        let now = clock.now
        return try state.withLock { state in
            guard state.usedTokens[key] == nil else { return false }
            guard state.usedTokens.insert((), for: key, until: expiry, at: now) else {
                throw IdentityError.usedTokensFull
            }
            return true
        }
    }

    /// Returns the attachment with this name; nil if it does not exist.
    public func attachment(_ name: String, of id: SessionID) async throws -> SessionAttachment? {
        state.withLock { $0.attachments[id]?[ByteKey(name)] }
    }

    /// Adds, replaces or removes an attachment; returns false if its revision is not the expected one, or if the session does not exist.
    public func setAttachment(
        _ name: String,
        to payload: Secret?,
        of id: SessionID,
        expecting revision: Int64?
    ) async throws -> Bool {
        state.withLock { state in
            guard state.sessions[id] != nil else { return false }
            let key = ByteKey(name)
            guard state.attachments[id]?[key]?.revision == revision else { return false }
            if payload != nil { state.lastRevision += 1 }
            state.attachments[id, default: [:]][key] = payload.map {
                SessionAttachment(payload: $0, revision: state.lastRevision)
            }
            return true
        }
    }

    /// Removes sessions, pending logins and logouts, and marks of used tokens that expired before a date, and returns their number.
    public func sweep(expiredBefore date: Date) async throws -> Int {
        state.withLock { state in
            let attempts = state.attempts.sweep(expiredBefore: date)
            let sessions = state.sessions.values.filter { $0.retainedUntil < date }
            let used = state.usedTokens.sweep(expiredBefore: date)
            for session in sessions {
                _ = state.drop(session.id)
                state.attachments[session.id] = nil
            }
            return attempts + used + sessions.count
        }
    }
}

extension StoredSession {
    /// The session as the store saves it; each save clears ``isRestored``, as ``StoredSession`` requires.
    fileprivate var saved: StoredSession {
        var session = self
        session.isRestored = false
        return session
    }
}
