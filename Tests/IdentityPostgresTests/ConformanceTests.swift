import FoundationEssentials
import IdentityKit
import IdentityTesting
import Synchronization
import Testing

@testable import IdentityPostgres

@Suite("The PostgreSQL store", .enabled(if: TestServer.isAvailable, "PostgreSQL's server programs are not installed"))
struct ConformanceTests {
    @Test("keeps what every store promises", arguments: StoreConformance.cases)
    func conformance(_ promise: StoreConformance.Case) async throws {
        try await promise.run(on: TestSchema().storeUnderTest())
    }

    @Test("keeps it too when the calls go to two stores, as of two machines", arguments: StoreConformance.cases)
    func conformanceOfTwo(_ promise: StoreConformance.Case) async throws {
        let schema = try await TestSchema()
        try await promise.run { AlternatingStore(try await schema.open(), try await schema.open()) }
    }

    @Test("keeps it too where nothing outlasts a transaction", arguments: StoreConformance.cases)
    func conformanceOfPooled(_ promise: StoreConformance.Case) async throws {
        let place = try await TestSchema().storeUnderTest {
            $0.usesTransactionPooler = true
            $0.maximumConnections = 2
        }
        try await promise.run(on: place)
    }

    @Test("keeps it too with advisory locks", arguments: StoreConformance.lockCasesOnly)
    func conformanceWithAdvisoryLocks(_ promise: StoreConformance.Case) async throws {
        let schema = try await TestSchema()
        try await promise.run {
            AlternatingStore(
                try await schema.open { $0.locking = .advisory },
                try await schema.open { $0.locking = .advisory }
            )
        }
    }
}

extension TestSchema {
    /// The store as the conformance suite opens it.
    func storeUnderTest(
        _ change: @escaping @Sendable (inout PostgresStore.Configuration) -> Void = { _ in }
    ) -> StoreUnderTest {
        // Whoever opened the store last knows its keys, and so the names of its rows.
        let last = LastStore()
        return StoreUnderTest(
            [.reopening, .attemptLimit, .usedTokenLimit, .keys],
            damagingSession: { id in
                guard let store = last.store else { return }
                try await store.execute(
                    "UPDATE §session SET slot = set_byte(slot, 99, get_byte(slot, 99) # 1) WHERE key = $1",
                    .key(try store.records.sessionHash(id))
                )
            },
            open: { options in
                let store = try await open { configuration in
                    if let key = options.key { configuration.key = key }
                    configuration.readOnlyKeys = options.readOnlyKeys
                    configuration.maximumAttempts = options.maximumAttempts ?? configuration.maximumAttempts
                    configuration.maximumUsedTokens = options.maximumUsedTokens ?? configuration.maximumUsedTokens
                    configuration.clock = options.clock
                    change(&configuration)
                }
                last.store = store
                return store
            }
        )
    }
}

private final class LastStore: Sendable {
    private let state = Mutex<PostgresStore?>(nil)

    var store: PostgresStore? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

extension StoreConformance {
    /// The promises about locks.
    fileprivate static var lockCasesOnly: [Case] { cases.filter { $0.name.contains("lock") } }
}

/// Hands each call to the other of two stores on one database.
private final class AlternatingStore: SessionStore, UsedTokenStore, ExpirySweeping, SessionLocking {
    private let stores: [PostgresStore]
    private let turn = Mutex(0)

    init(_ stores: PostgresStore...) {
        self.stores = stores
    }

    private var next: PostgresStore {
        let number = turn.withLock { turn in
            turn += 1
            return turn
        }
        return stores[number % stores.count]
    }

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
