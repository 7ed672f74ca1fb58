import FoundationEssentials
import Glibc
import IdentityCrypto
import IdentityKit
import IdentityStoreKit
import TestDirectories
import Testing

@testable import IdentitySQLite

/// The directory of one test, with a store; it is removed at the end of the test.
final class StoreDirectory: Sendable {
    private let directory: TemporaryDirectory
    let key: StoreKey

    init() throws {
        directory = try TemporaryDirectory("store")
        key = try Self.key()
    }

    var path: String { directory.path }
    var database: String { path + "/store.sqlite" }
    var journal: String { database + "-journal" }
    var locks: String { database + ".locks" }
    var spool: String { database + ".spool" }
    var logins: String { database + ".logins" }
    var loginFile: String {
        get throws {
            let names = try entries(of: logins)
            try #require(names.count == 1)
            return "\(logins)/\(names[0])"
        }
    }

    /// The names of the files in the directory, or in another one.
    func entries(of directory: String? = nil) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory ?? path).sorted()
    }

    static func key() throws -> StoreKey {
        try StoreKey(bytes: Secret(bytes: SecureRandom.bytes(32)))
    }

    func configuration(_ change: (inout SQLiteStore.Configuration) -> Void = { _ in }) -> SQLiteStore.Configuration {
        var configuration = SQLiteStore.Configuration(path: database, key: key)
        configuration.bootID = { "boot 1" }
        change(&configuration)
        return configuration
    }

    func open(_ change: (inout SQLiteStore.Configuration) -> Void = { _ in }) async throws -> SQLiteStore {
        try await SQLiteStore.open(configuration(change))
    }

    /// A second connection, like the one of a shell or a backup tool.
    func connection() throws -> Connection {
        try Connection(path: database, forWriting: true)
    }

    func contents(_ file: String) throws -> [UInt8] {
        Array(try #require(FileManager.default.contents(atPath: file)))
    }

    func overwrite(_ bytes: some Sequence<UInt8>, in file: String? = nil) throws {
        try Data(bytes).write(to: URL(filePath: file ?? database))
        try setMode(0o600, of: file ?? database)
    }

    func setMode(_ mode: mode_t, of file: String) throws {
        let result = unsafe chmod(file, mode)
        try #require(result == 0)
    }

    func remove(_ file: String) throws {
        let result = unsafe unlink(file)
        try #require(result == 0)
    }

    /// Moves a file aside and puts a symbolic link in its place.
    func replaceByLink(_ file: String) throws {
        let result = unsafe rename(file, file + ".real") == 0 && symlink(file + ".real", file) == 0
        try #require(result)
    }

    func mode(_ file: String) -> UInt32 {
        var status = stat()
        return unsafe stat(file, &status) == 0 ? status.st_mode & 0o777 : 0
    }
}

func sampleAttempt(
    _ key: String,
    tenant: String = "",
    expiresAt seconds: Double = 1_790_000_000
) -> StoredLoginAttempt {
    let expiry = Date(timeIntervalSince1970: seconds)
    return StoredLoginAttempt(key: key, tenant: tenant, expiresAt: expiry, payload: Secret("attempt \(key)"))
}

extension SQLiteStore {
    /// Saves the next generation of a session and returns it.
    func save(_ session: StoredSession, after old: StoredSession) async throws -> StoredSession {
        let isSaved = try await replace(session, expecting: old.generation)
        try #require(isSaved)
        return session
    }

    func rowKey(_ id: SessionID) throws -> Int64 {
        StoreRecords.rowKey(try records.hash(of: id))
    }

    func attachmentKey(_ name: String, _ id: SessionID) throws -> Int64 {
        StoreRecords.rowKey(try records.hash(ofAttachment: name, of: id))
    }

    /// Limits the number of pages, like a full disk.
    func fillDisk() async throws {
        try await database.write { connection in
            let pages = try connection.texts("PRAGMA page_count").first ?? ""
            _ = try connection.texts("PRAGMA max_page_count = \(pages)")
        }
    }
}
