import FoundationEssentials
import Glibc
import IdentityCrypto
import IdentityKit
import IdentityPlatform
import IdentityStoreKit
import TestStores
import Testing

@testable import IdentitySQLite

@Suite("Opening a store")
struct OpeningTests {
    @Test("opening creates directory, database, journal and lock file that only the owner can use")
    func modes() async throws {
        let directory = try StoreDirectory()
        let parent = directory.path + "/a/b"
        let store = try await directory.open { $0.path = parent + "/store.sqlite" }
        try await store.insert(sampleSession())
        for file in ["", "-journal", ".locks"] { #expect(directory.mode("\(parent)/store.sqlite\(file)") == 0o600) }
        #expect(directory.mode(parent) == 0o700)
        #expect(directory.mode(directory.path + "/a") == 0o700)
    }

    @Test("opening finds the saved sessions, and sets the pragmas for durability")
    func reopening() async throws {
        let directory = try StoreDirectory()
        let session = try sampleSession()
        let first = try await directory.open { $0.slotSize = 2_000 }
        try await first.insert(session)
        await first.close()
        await expect(.storeFailed, .retryLater) { try await first.session(session.id) }
        await expect(.storeFailed, .retryLater) { try await first.insert(sampleSession()) }
        // The file keeps the slot size with which it was created.
        let second = try await directory.open()
        #expect(second.records.sealer.slotSize == 2_000)
        #expect(try await second.session(session.id)?.payload.reveal() == "tokens")
        let settings = try await second.database.read { connection in
            try ["journal_mode", "synchronous", "page_size"].flatMap { try connection.texts("PRAGMA \($0)") }
        }
        #expect(settings == ["persist", "2", "8192"])
    }

    @Test(
        "opening refuses files that other users may use, links, and paths that are not files",
        arguments: ["", "-journal", ".locks"]
    )
    func rights(_ suffix: String) async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        try await store.insert(sampleSession())
        await store.close()
        let file = directory.database + suffix
        for mode: mode_t in [0o640, 0o604, 0o602] {
            try directory.setMode(mode, of: file)
            await expect(.configurationInvalid, .configuration) { try await directory.open() }
        }
        try directory.setMode(0o600, of: file)
        try directory.replaceByLink(file)
        await expect(.configurationInvalid, .configuration) { try await directory.open() }
        for path in ["", "/", "a\0b", directory.path + "/", directory.path + "/.."] {
            await expect(.configurationInvalid, .configuration) { try await directory.open { $0.path = path } }
        }
    }

    @Test("the wrong key is refused before anything is written")
    func wrongKey() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        let session = try sampleSession()
        try await store.insert(session)
        await store.close()
        let before = try directory.contents(directory.database)
        let other = try StoreDirectory.key()
        for keys in [[], [try StoreDirectory.key()]] {
            await expect(.storeKeyMismatch, .configuration) {
                try await directory.open {
                    $0.key = other
                    $0.readOnlyKeys = keys
                }
            }
        }
        #expect(try directory.contents(directory.database) == before)
        #expect(try await directory.open().session(session.id) != nil)
    }

    @Test("a header without a readable lookup key is reported as damaged, not as a wrong key")
    func lostLookupKey() async throws {
        for sql in ["DELETE FROM lookup_key", "UPDATE lookup_key SET record = x'00'"] {
            let directory = try StoreDirectory()
            await (try directory.open()).close()
            try directory.connection().execute(sql)
            await expect(.storeCorrupt, .configuration) { try await directory.open() }
        }
    }

    @Test("a key can be rotated in steps, and an old key that was removed too early can be added again")
    func rotation() async throws {
        let directory = try StoreDirectory()
        let new = try StoreDirectory.key()
        let session = try sampleSession()
        let first = try await directory.open { $0.readOnlyKeys = [new] }
        try await first.insert(session)
        await first.close()
        let second = try await directory.open { ($0.key, $0.readOnlyKeys) = (new, [directory.key]) }
        #expect(try await second.session(session.id) != nil)
        #expect(try await second.checkHealth().rowsUnderReadOnlyKeys == 1)
        let fresh = try sampleSession()
        try await second.insert(fresh)
        await second.close()
        // The old key was removed too early: calls for rows that it encrypts fail, and the rows are kept.
        let early = try await directory.open { $0.key = new }
        await expect(.storeKeyMismatch, .configuration) { try await early.session(session.id) }
        await expect(.storeKeyMismatch, .configuration) { try await early.remove(session.id) }
        #expect(try await early.session(fresh.id) != nil)
        #expect(try await early.sessions(matching: SessionFilter()).map(\.id) == [fresh.id])
        #expect(try await early.checkHealth().rowsWithoutKey == 1)
        await early.close()
        let third = try await directory.open { ($0.key, $0.readOnlyKeys) = (new, [directory.key]) }
        var refreshed = session
        refreshed.generation += 1
        #expect(try await third.replace(refreshed, expecting: session.generation))
        await third.close()
        let last = try await directory.open { $0.key = new }
        #expect(try await last.session(session.id) != nil)
        #expect(try await last.checkHealth().rowsUnderReadOnlyKeys == 0)
    }

    @Test("a file of another version and another program's database are refused and not changed")
    func foreign() async throws {
        let directory = try StoreDirectory()
        await (try directory.open()).close()
        let connection = try directory.connection()
        try connection.execute("PRAGMA user_version = \(Schema.version + 1)")
        let newer = try directory.contents(directory.database)
        let error = await expect(.storeTooNew, .configuration) { try await directory.open() }
        #expect(
            error?.message.contains("version \(Schema.version + 1)") == true
                && error?.hint?.contains("Update the program") == true
        )
        #expect(try directory.contents(directory.database) == newer)
        try connection.execute("PRAGMA user_version = \(Schema.version - 1)")
        await expect(.storeCorrupt, .configuration) { try await directory.open() }
        // Files that lack a column, as versions before the first release wrote them.
        for change in ["DROP INDEX session_sweep; ALTER TABLE session", "ALTER TABLE store"] {
            let column = change.hasSuffix("store") ? "is_copy" : "sweep_after"
            try connection.execute("PRAGMA user_version = \(Schema.version); \(change) DROP COLUMN \(column)")
            let older = try directory.contents(directory.database)
            await expect(.storeCorrupt, .configuration) { try await directory.open() }
            #expect(try directory.contents(directory.database) == older)
        }
        try connection.execute("PRAGMA user_version = \(Schema.version); PRAGMA application_id = 1")
        await expect(.configurationInvalid, .configuration) { try await directory.open() }
    }

    @Test("a refused file of another program, a newer version or another key keeps its journal mode")
    func foreignJournal() async throws {
        for log in [true, false] {
            let directory = try StoreDirectory()
            func refuses(_ code: IdentityError.Code, key: StoreKey? = nil) async throws {
                let before = try directory.contents(directory.database)
                await expect(code, .configuration) {
                    try await directory.open {
                        if let key { $0.key = key }
                        if !log { ($0.journal, $0.trustsWriteAheadLog) = (.writeAheadLog, true) }
                    }
                }
                #expect(try directory.contents(directory.database) == before)
            }
            func prepare(_ sql: String) throws {
                let mode = log ? "WAL" : "DELETE"
                try directory.connection().execute("\(sql); PRAGMA journal_mode = \(mode)")
            }
            try directory.overwrite([])
            try prepare("CREATE TABLE notes (note TEXT); INSERT INTO notes VALUES ('mine')")
            try await refuses(.configurationInvalid)
            try directory.remove(directory.database)
            await (try directory.open()).close()
            try prepare("SELECT 1")
            try await refuses(.storeKeyMismatch, key: try StoreDirectory.key())
            try prepare("PRAGMA user_version = \(Schema.version + 1)")
            try await refuses(.storeTooNew)
        }
    }

    @Test("a file that was truncated anywhere is refused as damaged and not changed")
    func truncated() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        for _ in 0..<20 { try await store.insert(sampleSession()) }
        await store.close()
        let whole = try directory.contents(directory.database)
        let lengths = [0, 1, 15, 16, 99, 100, 101, 511, 512, 1_024, 4_096, 8_191, 8_192, 8_193, 16_384]
        for length in lengths + [whole.count / 2, whole.count - 8_192, whole.count - 4_096, whole.count - 1] {
            try directory.overwrite(whole.prefix(length))
            await expect(.storeCorrupt, .configuration) { try await directory.open() }
            #expect(try directory.contents(directory.database).count == length)
        }
        try directory.overwrite(whole)
        #expect(try await directory.open().checkHealth().sessions == 20)
    }

    @Test("a file with garbage is refused and not changed")
    func garbage() async throws {
        let directory = try StoreDirectory()
        await (try directory.open()).close()
        let whole = try directory.contents(directory.database)
        let garbage = [
            try SecureRandom.bytes(50_000), Array("{\"sessions\":[]}".utf8), [UInt8](repeating: 0, count: 16_384),
            whole.prefix(16) + (try SecureRandom.bytes(16_368)),
            whole.prefix(100) + [UInt8](repeating: 0xFF, count: 16_284),
        ]
        for bytes in garbage {
            try directory.overwrite(bytes)
            let error = await #expect(throws: IdentityError.self) { try await directory.open() }
            #expect(error?.kind == .configuration)
            #expect(error.map { [.storeCorrupt, .configurationInvalid, .storeTooNew].contains($0.code) } == true)
            #expect(try directory.contents(directory.database) == bytes)
        }
    }

    @Test("an empty file becomes a store, but a store file that lost its content does not")
    func empty() async throws {
        let directory = try StoreDirectory()
        try directory.overwrite([])
        await (try directory.open()).close()
        try directory.overwrite([])
        await expect(.storeCorrupt, .configuration) { try await directory.open() }
    }

    @Test("a store whose creation was interrupted by a crash is created again")
    func halfMade() async throws {
        let other = try StoreDirectory()
        try other.overwrite([])
        let connection = try other.connection()
        // The cache is so small that pages are written to the file before a commit that never happens.
        try connection.execute(
            """
            PRAGMA cache_size = 1; BEGIN; CREATE TABLE half (made BLOB);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
            INSERT INTO half SELECT zeroblob(5000) FROM n
            """
        )
        let directory = try StoreDirectory()
        try directory.overwrite(other.contents(other.database))
        try directory.overwrite(other.contents(other.journal), in: directory.journal)
        #expect(try directory.contents(directory.database).count > 0)
        let session = try sampleSession()
        let store = try await directory.open()
        try await store.insert(session)
        #expect(try await store.checkHealth().isSound)
        connection.rollback()
    }

    @Test("a file without write permission is opened for reading", arguments: ["file", "directory"])
    func readOnly(_ what: String) async throws {
        let directory = try StoreDirectory()
        let session = try sampleSession()
        let first = try await directory.open()
        try await first.insert(session)
        await first.close()
        if what == "file" {
            try directory.setMode(0o400, of: directory.database)
        } else {
            try directory.setMode(0o500, of: directory.path)
        }
        let store = try await directory.open()
        #expect(try await store.session(session.id) != nil)
        #expect(try await store.checkHealth().isSound)
        await expect(.storeReadOnly, .configuration) { try await store.insert(sampleSession()) }
        await expect(.storeReadOnly, .configuration) { try await store.remove(session.id) }
        if what == "directory" {
            await expect(.storeReadOnly, .configuration) {
                try await directory.open { $0.path = directory.path + "/none.sqlite" }
            }
        }
    }

    @Test("a network file system is refused with its name, unless the configuration allows it")
    func networkFileSystem() async throws {
        let names: [(Int64, String)] = [
            (0x6969, "NFS"), (0xFF53_4D42, "CIFS"), (0xFE53_4D42, "SMB2"), (0x00C3_6400, "Ceph"),
        ]
        for (type, name) in names {
            let directory = try StoreDirectory()
            let error = await #expect(throws: IdentityError.self) {
                try await directory.open { $0.fileSystemType = type }
            }
            #expect(error?.code == .configurationInvalid)
            #expect(error?.message.contains("(\(name))") == true)
            #expect(try directory.entries().isEmpty)
            try await directory.open { ($0.fileSystemType, $0.allowsNetworkFileSystem) = (type, true) }.close()
        }
        // ext, btrfs, xfs, tmpfs, overlayfs, FUSE, and unknown file systems.
        for type: Int64 in [0xEF53, 0x9123_683E, 0x5846_5342, 0x0102_1994, 0x794C_7630, 0x6573_5546, -1] {
            #expect(FileSystem.networkName(ofType: type) == nil)
        }
        let directory = try StoreDirectory()
        #expect(FileSystem.type(at: directory.path) > 0)
        #expect(FileSystem.type(at: directory.path + "/none") == -1)
    }

    @Test("eight concurrent openers create one store")
    func race() async throws {
        let directory = try StoreDirectory()
        let ids = try await withThrowingTaskGroup(of: SessionID.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let session = try sampleSession()
                    try await directory.open { $0.lockWait = .seconds(600) }.insert(session)
                    return session.id
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let store = try await directory.open()
        for id in ids { #expect(try await store.session(id) != nil) }
    }
}
