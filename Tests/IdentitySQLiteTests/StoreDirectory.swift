import FoundationEssentials
import Glibc
import IdentityCrypto
import IdentityKit
import Testing

@testable import IdentitySQLite

/// A directory of its own for one test, with a store in it; removed when the test is over.
final class StoreDirectory: Sendable {
    let path: String
    let key: StoreKey

    init() throws {
        let name = Base64URL.encode(try SecureRandom.bytes(12))
        path = FileManager.default.temporaryDirectory.appending(path: "identity-\(name)").path
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        key = try Self.key()
    }

    deinit {
        _ = unsafe chmod(path, 0o700)
        try? FileManager.default.removeItem(atPath: path)
    }

    var database: String { path + "/store.sqlite" }
    var journal: String { database + "-journal" }
    var locks: String { database + ".locks" }

    static func key() throws -> StoreKey {
        try StoreKey(bytes: Secret(bytes: SecureRandom.bytes(32)))
    }

    func configuration(_ change: (inout SQLiteStore.Configuration) -> Void = { _ in }) -> SQLiteStore.Configuration {
        var configuration = SQLiteStore.Configuration(path: database, key: key)
        change(&configuration)
        return configuration
    }

    func open(_ change: (inout SQLiteStore.Configuration) -> Void = { _ in }) async throws -> SQLiteStore {
        try await SQLiteStore.open(configuration(change))
    }

    /// A second connection, as a shell or a backup tool would have.
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

func sampleSession(
    payload: String = "tokens",
    subject: String = "buyer",
    retainedUntil: Date = Date(timeIntervalSince1970: 2_000_000_000)
) throws -> StoredSession {
    StoredSession(
        id: try #require(SessionID(rawValue: Base64URL.encode(try SecureRandom.bytes(16)))),
        provider: "shopify",
        tenant: "",
        issuer: "https://id.example",
        subject: subject,
        createdAt: Date(timeIntervalSince1970: 1_790_000_000),
        retainedUntil: retainedUntil,
        payload: Secret(payload)
    )
}

func sampleAttempt(_ key: String, expiresAt seconds: Double = 1_790_000_000) -> StoredLoginAttempt {
    StoredLoginAttempt(key: key, expiresAt: Date(timeIntervalSince1970: seconds), payload: Secret("attempt \(key)"))
}

/// Expects an error of the SDK with this code and kind.
func expect<R>(
    _ code: IdentityError.Code,
    _ kind: IdentityError.Kind,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> R
) async {
    let error = await #expect(throws: IdentityError.self, sourceLocation: sourceLocation) { _ = try await body() }
    #expect(error?.code == code, sourceLocation: sourceLocation)
    #expect(error?.kind == kind, sourceLocation: sourceLocation)
}
