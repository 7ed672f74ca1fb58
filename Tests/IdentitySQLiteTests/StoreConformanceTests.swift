import FoundationEssentials
import IdentityKit
import IdentityTesting
import Synchronization
import TestStores
import Testing

@testable import IdentitySQLite

@Suite("The SQLite store")
struct StoreConformanceTests {
    @Test("the store passes the conformance suite", arguments: StoreConformance.cases)
    func conformance(_ testCase: StoreConformance.Case) async throws {
        try await testCase.run(on: StoreDirectory().storeUnderTest())
    }

    @Test("the store passes the conformance suite with a write-ahead log", arguments: StoreConformance.cases)
    func conformanceOfLog(_ testCase: StoreConformance.Case) async throws {
        let place = try StoreDirectory().storeUnderTest { configuration in
            configuration.journal = .writeAheadLog
            configuration.trustsWriteAheadLog = true
        }
        try await testCase.run(on: place)
    }

    @Test("the store with durable pending logins passes the conformance suite", arguments: StoreConformance.cases)
    func conformanceOfDurableLogins(_ testCase: StoreConformance.Case) async throws {
        try await testCase.run(on: StoreDirectory().storeUnderTest { $0.savesPendingLoginsDurably = true })
    }

    @Test("two stores on one file pass the conformance suite", arguments: StoreConformance.cases)
    func conformanceOfTwo(_ testCase: StoreConformance.Case) async throws {
        let directory = try StoreDirectory()
        try await testCase.run {
            AlternatingStore(
                try await directory.open { $0.lockWait = .seconds(600) },
                try await directory.open { $0.lockWait = .seconds(600) }
            )
        }
    }
}

extension StoreDirectory {
    func storeUnderTest(
        _ change: @escaping @Sendable (inout SQLiteStore.Configuration) -> Void = { _ in }
    ) -> StoreUnderTest {
        let last = Mutex<SQLiteStore?>(nil)
        return StoreUnderTest(
            [.reopening, .attemptLimit, .sessionLimit, .usedTokenLimit, .keys],
            damaging: { damage in
                let store = try #require(last.withLock { $0 })
                let change =
                    switch damage {
                    case .session(let id):
                        "session SET slot = zeroblob(length(slot)) WHERE key = \(try store.rowKey(id))"
                    case .attachment(let name, let id):
                        "attachment SET slot = zeroblob(length(slot)) WHERE key = \(try store.attachmentKey(name, id))"
                    case .attachmentOwner(let name, let id, let owner):
                        """
                        attachment SET session = \(try store.rowKey(owner))
                        WHERE key = \(try store.attachmentKey(name, id))
                        """
                    }
                // Uses the store's connection, because another connection would checkpoint its write-ahead log.
                try await store.database.write { try $0.execute("UPDATE \(change)") }
                return true
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
                    configuration.lockWait = .seconds(600)
                }
                last.withLock { $0 = store }
                return store
            }
        )
    }
}
