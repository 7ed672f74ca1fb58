import FoundationEssentials
import IdentityKit
import IdentityStoreKit
import Testing

@testable import IdentitySQLite

/// Files that the released versions wrote are kept in `Tests/Fixtures/Stores`, each with three sessions, a login, an attachment and, from version 2 on, a
/// provider's session and a used token; sealed under the key of 32 ones, and opened once with that of 32 twos as the active one.
@Suite("Older files")
struct MigrationTests {
    private static func key(_ byte: UInt8) throws -> StoreKey {
        try StoreKey(bytes: Secret(bytes: [UInt8](repeating: byte, count: StoreKey.byteCount)))
    }

    private static func id(_ number: Int) throws -> SessionID {
        try #require(SessionID(rawValue: String(repeating: "A", count: 21) + ["A", "Q", "g"][number - 1]))
    }

    /// A store with the file of a version in it.
    private func directory(_ version: Int) throws -> StoreDirectory {
        let directory = try StoreDirectory()
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/Stores/version-\(version).sqlite")
        try directory.overwrite(try Data(contentsOf: file))
        return directory
    }

    private func open(
        _ directory: StoreDirectory,
        _ change: (inout SQLiteStore.Configuration) -> Void = { _ in }
    ) async throws -> SQLiteStore {
        let keys = (try Self.key(1), try Self.key(2))
        return try await directory.open { configuration in
            configuration.key = keys.1
            configuration.readOnlyKeys = [keys.0]
            change(&configuration)
        }
    }

    @Test("a file of every released version keeps what is in it and learns what is new", arguments: [1, 2])
    func versions(_ version: Int) async throws {
        let directory = try directory(version)
        let store = try await open(directory)
        #expect(try await store.database.read { try $0.texts("PRAGMA user_version") } == ["\(Schema.version)"])
        for (number, payload) in [(1, "tokens 1"), (2, "tokens 2 renewed"), (3, "tokens 3")] {
            let session = try #require(try await store.session(Self.id(number)))
            #expect(session.payload.reveal() == payload)
            #expect(session.subject == "buyer \(number)")
            #expect(session.tenant == (number == 3 ? "shop" : ""))
            #expect(session.providerSessionID == (number == 2 && version > 1 ? "sid" : nil))
            #expect(!session.isUnsettled && !session.isRestored)
        }
        #expect(try await store.attachment("cart", of: Self.id(1))?.payload.reveal() == "cart 1")
        #expect(try await store.takeLoginAttempt("login")?.payload.reveal() == "attempt")
        #expect(try await store.isUsed("used") == (version > 1))
        #expect(try await store.checkHealth().isSound)

        // What is new works on old rows too.
        var third = try #require(try await store.session(Self.id(3)))
        third.providerSessionID = "named"
        let claimed = try await store.save(third.next(isUnsettled: true), after: third)
        #expect(try await store.sessions(matching: SessionFilter(isUnsettled: true)).map(\.id) == [third.id])
        #expect(try await store.sessions(matching: SessionFilter(providerSessionID: "named")).map(\.id) == [third.id])
        #expect(try await store.sessions(matching: SessionFilter(tenant: "shop")).map(\.id) == [third.id])
        #expect(try await store.resealRows(after: nil, limit: 10).resealed == 2)
        _ = try await store.save(claimed.next("renewed"), after: claimed)
        await store.close()
        let again = try await open(directory) { $0.readOnlyKeys = [] }
        #expect(try await again.session(third.id)?.payload.reveal() == "renewed")
        #expect(try await again.session(Self.id(1)) != nil)
    }

    @Test("an old file that cannot be written, or whose key is missing, is left as it is", arguments: [1, 2])
    func untouched(_ version: Int) async throws {
        let directory = try directory(version)
        let before = try directory.contents(directory.database)
        try directory.setMode(0o400, of: directory.database)
        await expect(.storeReadOnly, .configuration) { try await open(directory) }
        try directory.setMode(0o600, of: directory.database)
        await expect(.storeKeyMismatch, .configuration) { try await directory.open() }
        #expect(try directory.contents(directory.database) == before)
    }
}
