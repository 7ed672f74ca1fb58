import FoundationEssentials
import Glibc
import IdentityKit
import IdentityStoreKit
import TestStores
import Testing

@testable import IdentitySQLite

@Suite("The write-ahead log")
struct WriteAheadLogTests {
    private func open(
        _ directory: StoreDirectory,
        _ change: (inout SQLiteStore.Configuration) -> Void = { _ in }
    ) async throws -> SQLiteStore {
        try await directory.open {
            ($0.journal, $0.trustsWriteAheadLog) = (.writeAheadLog, true)
            change(&$0)
        }
    }

    @Test("the write-ahead log is refused for the SQLite versions that can corrupt it")
    func versions() async throws {
        let safe: [Int32] = [
            3_044_006, 3_044_007, 3_044_999, 3_050_007, 3_050_999, 3_051_003, 3_051_004, 3_052_000, 4_000_000,
        ]
        let faulty: [Int32] = [
            3_007_000, 3_040_001, 3_044_005, 3_045_000, 3_045_001, 3_046_001, 3_049_009, 3_050_000, 3_050_006,
            3_051_000,
            3_051_002,
        ]
        for version in safe { #expect(WriteAheadLog.isSafe(version), "\(version)") }
        for version in faulty { #expect(!WriteAheadLog.isSafe(version), "\(version)") }
        let error = #expect(throws: IdentityError.self) { try WriteAheadLog.require(3_040_001) }
        #expect(error?.message.contains("3.40.1") == true)
        let directory = try StoreDirectory()
        if WriteAheadLog.isSafe(WriteAheadLog.libraryVersion) {
            try await directory.open { $0.journal = .writeAheadLog }.close()
        } else {
            await expect(.configurationInvalid, .configuration) {
                try await directory.open { $0.journal = .writeAheadLog }
            }
            #expect(try directory.entries().isEmpty)
        }
    }

    @Test(
        "only the owner can use the log's files, closing empties or removes them, and commits are synchronous"
    )
    func files() async throws {
        let directory = try StoreDirectory()
        let store = try await open(directory)
        try await store.insert(sampleSession())
        let settings = try await store.database.read { connection in
            try ["journal_mode", "synchronous"].flatMap { try connection.texts("PRAGMA \($0)") }
        }
        #expect(settings == ["wal", "2"])
        for suffix in ["-wal", "-shm"] { #expect(directory.mode(directory.database + suffix) == 0o600) }
        await store.close()
        #expect(
            try directory.entries().filter { $0.hasSuffix("-wal") }.allSatisfy {
                try directory.contents(directory.path + "/" + $0).isEmpty
            }
        )
        for suffix in ["-wal", "-shm"] {
            try directory.overwrite([], in: directory.database + suffix)
            try directory.setMode(0o644, of: directory.database + suffix)
            await expect(.configurationInvalid, .configuration) { try await open(directory) }
            try directory.remove(directory.database + suffix)
        }
    }

    @Test("a file in the other journal mode is converted, or refused while another process has it open")
    func conversion() async throws {
        let directory = try StoreDirectory()
        let session = try sampleSession()
        let log = try await open(directory)
        try await log.insert(session)
        await expect(.storeBusy, .retryLater) { try await directory.open { $0.lockWait = .zero } }
        #expect(try await log.session(session.id) != nil)
        await log.close()
        for isLog in [false, true, false] {
            let store = try await isLog ? open(directory) : directory.open()
            #expect(try await store.session(session.id) != nil)
            let mode = try await store.database.read { try $0.texts("PRAGMA journal_mode") }
            #expect(mode == [isLog ? "wal" : "persist"])
            try await store.insert(sampleSession())
            await store.close()
        }
        // A store that was not closed, as after a crash: its log is replayed.
        let crashed = try StoreDirectory()
        let busy = try await open(directory)
        try await busy.insert(sampleSession())
        for suffix in ["", "-wal"] {
            try crashed.overwrite(directory.contents(directory.database + suffix), in: crashed.database + suffix)
        }
        let recovered = try await crashed.open { $0.key = directory.key }
        #expect(try await recovered.sessions(matching: SessionFilter()).count == 5)
        #expect(try await recovered.checkHealth().isSound)
        await busy.close()
    }

    @Test("if another process converts the file, a process whose SQLite library can corrupt it refuses to save")
    func convertedMeanwhile() async throws {
        let directory = try StoreDirectory()
        let (store, session) = (try await directory.open(), try sampleSession())
        try await store.insert(session)
        let other = try await open(directory)
        if WriteAheadLog.isSafe(WriteAheadLog.libraryVersion) {
            try await store.insert(sampleSession())
        } else {
            await expect(.configurationInvalid, .configuration) { try await store.insert(sampleSession()) }
        }
        #expect(try await store.session(session.id) != nil)
        try await other.insert(sampleSession())
        let log = try directory.contents(directory.database + "-wal")
        await store.close()
        if !WriteAheadLog.isSafe(WriteAheadLog.libraryVersion) {
            #expect(try directory.contents(directory.database + "-wal") == log)
        }
        await other.close()
    }

    @Test("a tool that keeps the journal mode opens a file in its own mode, also while another process has it open")
    func kept() async throws {
        let directory = try StoreDirectory()
        func tool() async throws -> SQLiteStore {
            try await directory.open { ($0.keepsJournal, $0.trustsWriteAheadLog, $0.lockWait) = (true, true, .zero) }
        }
        for isLog in [true, false] {
            let app = try await isLog ? open(directory) : directory.open()
            let session = try sampleSession()
            try await app.insert(session)
            let beside = try await tool()
            #expect(try await beside.session(session.id) != nil)
            await app.close()
            await beside.close()
            let alone = try await tool()
            let mode = try await alone.database.read { try $0.texts("PRAGMA journal_mode") }
            #expect(mode == [isLog ? "wal" : "persist"])
            await alone.close()
            if isLog, !WriteAheadLog.isSafe(WriteAheadLog.libraryVersion) {
                await expect(.configurationInvalid, .configuration) {
                    try await directory.open { $0.keepsJournal = true }
                }
            }
        }
    }

    @Test("concurrent openers of a file with a write-ahead log all succeed")
    func conversionRace() async throws {
        let directory = try StoreDirectory()
        for _ in 0..<5 {
            let log = try await open(directory)
            try await log.insert(sampleSession())
            await log.close()
            let stores = try await withThrowingTaskGroup(of: SQLiteStore.self) { group in
                for _ in 0..<24 { group.addTask { try await directory.open { $0.lockWait = .seconds(600) } } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for store in stores {
                try await store.insert(sampleSession())
                await store.close()
            }
        }
    }
}
