import FoundationEssentials
import IdentityKit
import IdentityTesting
import Synchronization

/// A store that behaves as the documentation of the protocols permits, in ways in which the stores of this package do not behave.
///
/// It removes expired records at once, and so offers no sweep. It counts revisions down, lists sessions of the same age in any order, lets
/// a task that holds a lock get it again, and requires that each replacement has a higher generation.
final class LenientStore: WrappingStore, UsedTokenStore {
    let inner: InMemoryStore
    private let clock: any IdentityClock
    private let holders = Mutex<[LockName: Int]>([:])

    init(_ options: StoreUnderTest.Options) {
        clock = options.clock
        inner = InMemoryStore(options)
    }

    private func removeExpired() async throws {
        _ = try await inner.sweep(expiredBefore: clock.now)
    }

    func session(_ id: SessionID) async throws -> StoredSession? {
        try await removeExpired()
        return try await inner.session(id)
    }

    func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool {
        guard try await inner.session(session.id)?.generation == generation else { return false }
        guard session.generation > generation else {
            throw IdentityError(.rejected, .storeFailed, "The generation is not higher.")
        }
        return try await inner.replace(session, expecting: generation)
    }

    func sessions(matching filter: SessionFilter) async throws -> [StoredSession] {
        try await removeExpired()
        return try await inner.sessions(matching: filter).shuffled().sorted { $0.createdAt < $1.createdAt }
    }

    func takeLoginAttempt(
        _ key: String,
        after check: @escaping @Sendable (StoredLoginAttempt) throws -> Void
    ) async throws -> StoredLoginAttempt? {
        try await removeExpired()
        return try await inner.takeLoginAttempt(key, after: check)
    }

    func isUsed(_ key: String) async throws -> Bool {
        try await removeExpired()
        return try await inner.isUsed(key)
    }

    func markUsed(_ key: String, until expiry: Date) async throws -> Bool {
        try await removeExpired()
        return try await inner.markUsed(key, until: expiry)
    }

    func attachment(_ name: String, of id: SessionID) async throws -> SessionAttachment? {
        try await inner.attachment(name, of: id).map { attachment in
            SessionAttachment(payload: attachment.payload, revision: 0 &- attachment.revision)
        }
    }

    func setAttachment(
        _ name: String,
        to payload: Secret?,
        of id: SessionID,
        expecting revision: Int64?
    ) async throws -> Bool {
        try await inner.setAttachment(name, to: payload, of: id, expecting: revision.map { 0 &- $0 })
    }

    func withLock<Result: Sendable>(
        _ name: LockName,
        waitingUpTo limit: Duration,
        _ body: @Sendable (HeldLock) async throws -> Result
    ) async throws -> Result {
        let task = unsafe withUnsafeCurrentTask { unsafe $0?.hashValue }
        if task != nil, holders.withLock({ $0[name] }) == task { return try await body(.untilProcessEnds) }
        return try await inner.withLock(name, waitingUpTo: limit) { lock in
            holders.withLock { $0[name] = task }
            defer { holders.withLock { $0[name] = nil } }
            return try await body(lock)
        }
    }
}

extension InMemoryStore {
    convenience init(_ options: StoreUnderTest.Options) {
        self.init(
            maximumAttempts: options.maximumAttempts ?? 10_000,
            maximumUsedTokens: options.maximumUsedTokens ?? 100_000,
            maximumSessionsPerTenant: options.maximumSessionsPerTenant,
            clock: options.clock
        )
    }
}
