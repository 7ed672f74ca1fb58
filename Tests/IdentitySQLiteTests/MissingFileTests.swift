import FoundationEssentials
import IdentityKit
import TestStores
import Testing

@testable import IdentitySQLite

@Suite("A store whose files are missing")
struct MissingFileTests {
    @Test("if createsStore is false, a missing file is an error, and nothing is created")
    func missing() async throws {
        let directory = try StoreDirectory()
        let nested = directory.path + "/a/b/store.sqlite"
        for path in [directory.database, nested] {
            let error = await #expect(throws: IdentityError.self) {
                try await directory.open { ($0.createsStore, $0.path) = (false, path) }
            }
            #expect(error?.code == .configurationInvalid && error?.kind == .configuration)
            #expect(error?.message.contains(path) == true)
            #expect(error?.hint?.contains("createsStore") == true)
        }
        #expect(try directory.entries().isEmpty)
        await (try directory.open()).close()
        // An existing file is opened.
        await (try directory.open { $0.createsStore = false }).close()
    }

    @Test("if createsStore is false, an empty file is an error and stays empty")
    func empty() async throws {
        let directory = try StoreDirectory()
        try directory.overwrite([])
        await expect(.configurationInvalid, .configuration) { try await directory.open { $0.createsStore = false } }
        #expect(try directory.entries() == ["store.sqlite"])
        #expect(try directory.contents(directory.database).isEmpty)
    }

    @Test("a spool with sessions beside a missing file is an error with a hint", arguments: [true, false])
    func orphanedSpool(_ creates: Bool) async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        let session = try sampleSession()
        try await store.insert(session)
        try await store.spool(session.next("refreshed"))
        await store.close()
        let aside = directory.path + "/aside"
        try FileManager.default.moveItem(atPath: directory.database, toPath: aside)
        let error = await #expect(throws: IdentityError.self) {
            try await directory.open { $0.createsStore = creates }
        }
        #expect(error?.code == .configurationInvalid && error?.kind == .configuration)
        #expect(error?.message.contains("one file with tokens") == true)
        #expect(error?.hint?.contains("Put the database back") == true)
        #expect(!FileManager.default.fileExists(atPath: directory.database))
        // Both ways that the hint names work: to put the database back, and to move the spool away.
        try FileManager.default.moveItem(atPath: aside, toPath: directory.database)
        let found = try await directory.open { $0.createsStore = creates }
        #expect(try await found.spooledSession(session.id)?.payload.reveal() == "refreshed")
        await found.close()
        try FileManager.default.moveItem(atPath: directory.database, toPath: aside)
        try FileManager.default.moveItem(atPath: directory.spool, toPath: aside + ".spool")
        await (try directory.open()).close()
    }

    @Test("an empty spool directory does not prevent the creation of a store")
    func emptySpool() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        let session = try sampleSession()
        try await store.spool(session)
        try await store.removeSpooledSession(session.id)
        await store.close()
        try directory.remove(directory.database)
        await (try directory.open()).close()
    }

    @Test("a process whose lock file was removed, replaced or moved acquires no lock")
    func lockFile() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        let session = try sampleSession()
        func isLocked(_ store: SQLiteStore) async throws -> Bool {
            try await store.withLock(.session(session.id), waitingUpTo: .zero) { _ in true }
        }
        #expect(try await isLocked(store))
        try directory.remove(directory.locks)
        let error = await #expect(throws: IdentityError.self) { _ = try await isLocked(store) }
        #expect(error?.code == .storeFailed && error?.kind == .configuration)
        #expect(error?.hint?.contains("Stop every process") == true)
        // A later process creates a new lock file and does not wait for the lock on the old one.
        let other = try await directory.open()
        #expect(try await isLocked(other))
        await expect(.storeFailed, .configuration) { _ = try await isLocked(store) }
        await store.close()
        let restarted = try await directory.open()
        #expect(try await isLocked(restarted))
        // The original file under its old name is accepted again.
        let aside = directory.path + "/aside"
        try FileManager.default.moveItem(atPath: directory.locks, toPath: aside)
        await expect(.storeFailed, .configuration) { _ = try await isLocked(restarted) }
        try FileManager.default.moveItem(atPath: aside, toPath: directory.locks)
        #expect(try await isLocked(restarted))
    }
}
