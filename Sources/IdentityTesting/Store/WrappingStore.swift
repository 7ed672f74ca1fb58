public import IdentityKit

/// A store that passes its calls on to another store, for tests that watch, count or break single calls.
///
/// Calls that the wrapper does not implement go to ``inner``:
///
/// ```swift
/// final class CountingStore: WrappingStore {
///     let inner = InMemoryStore()
///     let reads = Mutex(0)
///
///     func session(_ id: SessionID) async throws -> StoredSession? {
///         reads.withLock { $0 += 1 }
///         return try await inner.session(id)
///     }
/// }
/// ```
///
/// A wrapper conforms only to the optional protocols that it declares itself:
///
/// - Without `SessionSpooling`, tokens that the inner store cannot save are not written to its spool, which is a local file.
/// - Without `PartialSessionListing`, one unreadable session fails a whole list.
/// - Without `ExpirySweeping`, a sweep removes no expired rows. Without `UsedTokenStore`, every back-channel logout fails.
/// - Without the protocols of `IdentityStoreKit`, there is no health check and no key rotation.
public protocol WrappingStore: SessionStore {
    associatedtype Inner: SessionStore

    /// The store that gets the calls.
    var inner: Inner { get }
}

extension WrappingStore {
    /// How long the inner store guarantees a lock; nil if its locks have no time limit.
    ///
    /// A session manager refuses a provider whose refresh may take longer than this duration.
    public var guaranteedLockDuration: Duration? { inner.guaranteedLockDuration }
    /// Calls the inner store.
    public func withLock<Result: Sendable>(
        _ name: LockName,
        waitingUpTo limit: Duration,
        _ body: @Sendable (HeldLock) async throws -> Result
    ) async throws -> Result {
        try await inner.withLock(name, waitingUpTo: limit, body)
    }
    /// Calls the inner store.
    public func insert(_ session: StoredSession) async throws { try await inner.insert(session) }
    /// Calls the inner store.
    public func session(_ id: SessionID) async throws -> StoredSession? { try await inner.session(id) }
    /// Calls the inner store.
    public func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool {
        try await inner.replace(session, expecting: generation)
    }
    /// Calls the inner store.
    public func remove(_ id: SessionID) async throws -> RemovedSession? { try await inner.remove(id) }
    /// Calls the inner store.
    public func sessions(matching filter: SessionFilter) async throws -> [StoredSession] {
        try await inner.sessions(matching: filter)
    }
    /// Calls the inner store.
    public func insert(_ attempt: StoredLoginAttempt) async throws { try await inner.insert(attempt) }
    /// Calls the inner store.
    public func takeLoginAttempt(
        _ key: String,
        after check: @escaping @Sendable (StoredLoginAttempt) throws -> Void
    ) async throws -> StoredLoginAttempt? {
        try await inner.takeLoginAttempt(key, after: check)
    }
    /// Calls the inner store.
    public func attachment(_ name: String, of id: SessionID) async throws -> SessionAttachment? {
        try await inner.attachment(name, of: id)
    }
    /// Calls the inner store.
    public func setAttachment(
        _ name: String,
        to payload: Secret?,
        of id: SessionID,
        expecting revision: Int64?
    ) async throws -> Bool {
        try await inner.setAttachment(name, to: payload, of: id, expecting: revision)
    }
}
