#if PostgreSQL
import FoundationEssentials
import IdentityKit
import IdentityTesting
import Synchronization
import TestDirectories
import TestPostgres
import TestStores
import Testing

@testable import IdentityPostgres

@Suite("The PostgreSQL store", .enabled(if: TestPostgresServer.isAvailable, "apt-get install libpq-dev postgresql"))
struct ConformanceTests {
    @Test("the store passes the conformance suite", arguments: StoreConformance.cases)
    func conformance(_ testCase: StoreConformance.Case) async throws {
        try await TestSchema().run(testCase)
    }

    @Test("two stores, as on two machines, pass the conformance suite", arguments: StoreConformance.cases)
    func conformanceOfTwo(_ testCase: StoreConformance.Case) async throws {
        try await TestSchema().run(testCase, onTwo: true)
    }

    @Test("the store passes the conformance suite behind a transaction pooler", arguments: StoreConformance.cases)
    func conformanceOfPooled(_ testCase: StoreConformance.Case) async throws {
        try await TestSchema().run(testCase) {
            $0.usesTransactionPooler = true
            $0.maximumConnections = 2
        }
    }

    @Test(
        "the store passes the lock cases with advisory locks",
        arguments: StoreConformance.lockCases + StoreConformance.lockQueueCases
    )
    func conformanceWithAdvisoryLocks(_ testCase: StoreConformance.Case) async throws {
        try await TestSchema().run(testCase, onTwo: true) { $0.locking = .advisory }
    }
}

extension TestSchema {
    /// Runs a case of the suite on one store, or on two that are used alternately.
    fileprivate func run(
        _ testCase: StoreConformance.Case,
        onTwo: Bool = false,
        _ change: @escaping @Sendable (inout PostgresStore.Configuration) -> Void = { _ in }
    ) async throws {
        let folder = try TemporaryDirectory("spool")
        defer { folder.remove() }
        // The store that was opened last has the keys that determine the keys of the rows.
        let last = LastStore()
        let place = StoreUnderTest(
            [.reopening, .attemptLimit, .sessionLimit, .usedTokenLimit, .keys],
            damaging: { damage in
                guard let store = last.store else { return false }
                let flip = "slot = set_byte(slot, 99, get_byte(slot, 99) # 1)"
                let (change, hash) =
                    switch damage {
                    case .session(let id): ("§session SET \(flip)", try store.records.hash(of: id))
                    case .attachment(let name, let id):
                        ("§attachment SET \(flip)", try store.records.hash(ofAttachment: name, of: id))
                    case .attachmentOwner(let name, let id, let owner):
                        (
                            "§attachment SET session = \(StoreRecords.rowKey(try store.records.hash(of: owner)))",
                            try store.records.hash(ofAttachment: name, of: id)
                        )
                    }
                return try await store.execute("UPDATE \(change) WHERE key = $1", .key(hash)).changed == 1
            },
            open: { options in
                var configuration = configuration()
                if let key = options.key { configuration.key = key }
                configuration.readOnlyKeys = options.readOnlyKeys
                configuration.maximumSessionsPerTenant = options.maximumSessionsPerTenant
                configuration.maximumAttempts = options.maximumAttempts ?? configuration.maximumAttempts
                configuration.maximumUsedTokens = options.maximumUsedTokens ?? configuration.maximumUsedTokens
                configuration.clock = options.clock
                configuration.spoolDirectory = folder.path
                change(&configuration)
                let store = try await PostgresStore.open(configuration)
                last.store = store
                return onTwo ? AlternatingStore(store, try await PostgresStore.open(configuration)) : store
            }
        )
        try await testCase.run(on: place)
    }
}

private final class LastStore: Sendable {
    private let state = Mutex<PostgresStore?>(nil)

    var store: PostgresStore? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
#endif
