public import FoundationEssentials

/// Where sessions live.
///
/// Every payload is a secret in the clear: a store that writes it anywhere but to memory must encrypt it and bind it to its
/// row. Calls may come concurrently. Throw ``IdentityError``: ``IdentityError/Kind/retryLater`` when the caller may try again,
/// ``IdentityError/Kind/configuration`` when an operator has to act; never answer "no such session" for a row that cannot be
/// read. `IdentityTesting` ships the suite that an implementation has to pass.
public protocol TokenStore: Sendable {
    /// Adds a new session durably; throws when the id is already there.
    func insert(_ session: StoredSession) async throws

    /// The session with this id, or nil when there is none.
    func session(_ id: SessionID) async throws -> StoredSession?

    /// Replaces a session if it still has the given generation; false when it has not, or is gone.
    ///
    /// Once this returns true the new payload survives a crash.
    func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool

    /// Removes a session with everything attached to it and returns what was removed, nil when there was nothing.
    func remove(_ id: SessionID) async throws -> RemovedSession?

    /// The sessions that match, oldest first.
    func sessions(matching filter: SessionFilter) async throws -> [StoredSession]
}

/// Where pending logins wait for their callback.
public protocol LoginAttemptStore: Sendable {
    /// Adds a pending login.
    func insert(_ attempt: StoredLoginAttempt) async throws

    /// Takes a pending login out, atomically: of any number of callers exactly one gets it.
    func takeLoginAttempt(_ key: String) async throws -> StoredLoginAttempt?
}

/// Where what belongs to a session, such as its cart, is kept and dies with it.
public protocol SessionAttachmentStore: Sendable {
    /// What is attached under a name, or nil.
    func attachment(_ name: String, of id: SessionID) async throws -> SessionAttachment?

    /// Attaches, replaces or, with a nil payload, removes, if the revision still is the expected one (nil: nothing is there).
    ///
    /// - Returns: False when another caller was faster, or the session is gone.
    func setAttachment(
        _ name: String,
        to payload: Secret?,
        of id: SessionID,
        expecting revision: Int64?
    ) async throws -> Bool
}

/// A store that can forget what has expired.
public protocol ExpirySweeping: Sendable {
    /// Removes pending logins, sessions and marks of used tokens whose time ended before the given one, and tells how many.
    func sweep(expiredBefore date: Date) async throws -> Int
}

/// A store that several processes or machines share, and that can keep them out of each other's way.
public protocol SessionLocking: Sendable {
    /// How long a lock is certainly held from now on whenever the store can be reached; nil, the default, when a lock ends with
    /// its holder's process only.
    ///
    /// A request that sends a refresh token must be over within this time: ``SessionManager`` refuses providers whose
    /// ``ProviderDescriptor/timeout`` is longer.
    var guaranteedHold: Duration? { get }

    /// Runs the body while no other task, process or machine holds the lock; the lock ends with its holder, at once or when its
    /// lease is over.
    ///
    /// - Parameters:
    ///   - name: What the lock protects. Its session need not exist.
    ///   - limit: How long to wait for another holder.
    ///   - body: Gets what tells whether the lock is still held, to be asked before anything that may happen once only.
    /// - Returns: The result of the body.
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/renewalBusy`` when the wait is over, or what the body throws.
    func withLock<Result: Sendable>(
        _ name: LockName,
        waitingUpTo limit: Duration,
        _ body: @Sendable (SessionHold) async throws -> Result
    ) async throws -> Result
}

extension SessionLocking {
    /// Nil: locks end with their holder's process only.
    public var guaranteedHold: Duration? { nil }

    /// Runs the body while no other task, process or machine holds the session's lock: ``withLock(_:waitingUpTo:_:)``.
    public func withSessionLock<Result: Sendable>(
        _ id: SessionID,
        waitingUpTo limit: Duration,
        _ body: @Sendable (SessionHold) async throws -> Result
    ) async throws -> Result {
        try await withLock(.session(id), waitingUpTo: limit, body)
    }
}

/// What ``SessionManager`` needs of a store.
public typealias SessionStore = LoginAttemptStore & SessionAttachmentStore & TokenStore
