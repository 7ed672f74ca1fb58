import FoundationEssentials
import IdentityKit
import IdentityTesting
import Synchronization
import Testing

@testable import IdentitySQLite

@Suite("The SQLite store")
struct StoreConformanceTests {
    @Test("keeps what every store promises", arguments: StoreConformance.cases)
    func conformance(_ promise: StoreConformance.Case) async throws {
        try await promise.run(on: StoreDirectory().storeUnderTest())
    }

    @Test("keeps it with a write-ahead log", arguments: StoreConformance.cases)
    func conformanceOfLog(_ promise: StoreConformance.Case) async throws {
        let place = try StoreDirectory().storeUnderTest { configuration in
            configuration.journal = .writeAheadLog
            configuration.trustsWriteAheadLog = true
        }
        try await promise.run(on: place)
    }

    @Test("keeps it too when the calls go to two stores on one file", arguments: StoreConformance.cases)
    func conformanceOfTwo(_ promise: StoreConformance.Case) async throws {
        let directory = try StoreDirectory()
        try await promise.run {
            AlternatingStore(try await directory.open(), try await directory.open { $0.lockWait = .seconds(60) })
        }
    }
}

extension StoreDirectory {
    /// The store as the conformance suite opens it.
    func storeUnderTest(
        _ change: @escaping @Sendable (inout SQLiteStore.Configuration) -> Void = { _ in }
    ) -> StoreUnderTest {
        let last = Mutex<SQLiteStore?>(nil)
        return StoreUnderTest(
            [.reopening, .attemptLimit, .sessionLimit, .usedTokenLimit, .keys],
            damagingSession: { id in
                let store = try #require(last.withLock { $0 })
                let key = try store.rowKey(id)
                // Through the store: what it has in its log is not to be checkpointed by a connection of ours.
                try await store.database.write { connection in
                    try connection.execute("UPDATE session SET slot = zeroblob(length(slot)) WHERE key = \(key)")
                }
            },
            open: { [self] options in
                let store = try await open { configuration in
                    change(&configuration)
                    if let key = options.key { configuration.key = key }
                    configuration.readOnlyKeys = options.readOnlyKeys
                    configuration.maximumAttempts = options.maximumAttempts ?? configuration.maximumAttempts
                    configuration.maximumUsedTokens = options.maximumUsedTokens ?? configuration.maximumUsedTokens
                    configuration.maximumSessionsPerTenant = options.maximumSessionsPerTenant
                    configuration.clock = options.clock
                    configuration.lockWait = .seconds(60)
                }
                last.withLock { $0 = store }
                return store
            }
        )
    }
}

/// Hands each call to the other of two stores on one file.
private final class AlternatingStore: SessionStore, UsedTokenStore, ExpirySweeping, SessionLocking {
    private let stores: [SQLiteStore]
    private let turns = Turns()

    init(_ stores: SQLiteStore...) {
        self.stores = stores
    }

    private actor Turns {
        private var turn = 0

        func next() -> Int {
            turn += 1
            return turn % 2
        }
    }

    private var next: SQLiteStore { get async { stores[await turns.next()] } }

    func insert(_ session: StoredSession) async throws { try await next.insert(session) }
    func session(_ id: SessionID) async throws -> StoredSession? { try await next.session(id) }
    func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool {
        try await next.replace(session, expecting: generation)
    }
    func remove(_ id: SessionID) async throws -> RemovedSession? { try await next.remove(id) }
    func sessions(matching filter: SessionFilter) async throws -> [StoredSession] {
        try await next.sessions(matching: filter)
    }
    func insert(_ attempt: StoredLoginAttempt) async throws { try await next.insert(attempt) }
    func takeLoginAttempt(_ key: String) async throws -> StoredLoginAttempt? { try await next.takeLoginAttempt(key) }
    func isUsed(_ key: String) async throws -> Bool { try await next.isUsed(key) }
    func markUsed(_ key: String, until expiry: Date) async throws -> Bool {
        try await next.markUsed(key, until: expiry)
    }
    func attachment(_ name: String, of id: SessionID) async throws -> SessionAttachment? {
        try await next.attachment(name, of: id)
    }
    func setAttachment(
        _ name: String,
        to payload: Secret?,
        of id: SessionID,
        expecting revision: Int64?
    ) async throws -> Bool {
        try await next.setAttachment(name, to: payload, of: id, expecting: revision)
    }
    func sweep(expiredBefore date: Date) async throws -> Int { try await next.sweep(expiredBefore: date) }
    func withSessionLock<Result: Sendable>(
        _ id: SessionID,
        waitingUpTo limit: Duration,
        _ body: @Sendable (SessionHold) async throws -> Result
    ) async throws -> Result {
        try await next.withSessionLock(id, waitingUpTo: limit, body)
    }
}
