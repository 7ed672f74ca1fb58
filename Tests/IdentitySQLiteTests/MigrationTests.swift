import FoundationEssentials
import IdentityKit
import Testing

@testable import IdentitySQLite

@Suite("Older files")
struct MigrationTests {
    /// The first version's tables, as they were released.
    private static let firstVersion = """
        CREATE TABLE session (
            key INTEGER PRIMARY KEY, hash BLOB NOT NULL, buyer BLOB NOT NULL,
            tenant BLOB NOT NULL, provider BLOB NOT NULL, issuer BLOB NOT NULL,
            generation INTEGER NOT NULL, retained_until NOT NULL, slot BLOB NOT NULL
        );
        """

    /// Makes the file what the first version would have written.
    private func turnBack(_ directory: StoreDirectory) throws {
        let connection = try directory.connection()
        try connection.execute(
            """
            BEGIN;
            DROP TABLE used_token;
            DROP INDEX session_provider_session;
            DROP INDEX session_buyer;
            ALTER TABLE session RENAME TO newer;
            \(Self.firstVersion)
            INSERT INTO session SELECT key, hash, buyer, tenant, provider, issuer, generation, retained_until, slot FROM newer;
            DROP TABLE newer;
            CREATE INDEX session_buyer ON session (buyer);
            PRAGMA user_version = 1;
            COMMIT;
            """
        )
    }

    @Test("a file of the first version keeps its sessions and learns what is new")
    func first() async throws {
        let directory = try StoreDirectory()
        let old = try sampleSession()
        let store = try await directory.open()
        try await store.insert(old)
        try await store.insert(sampleAttempt("login"))
        await store.close()
        try turnBack(directory)

        let newer = try await directory.open()
        #expect(try await newer.database.read { try $0.texts("PRAGMA user_version") } == ["2"])
        let kept = try #require(try await newer.session(old.id))
        #expect(kept.payload.isEqual(to: old.payload))
        #expect(kept.providerSessionID == nil)
        #expect(try await newer.takeLoginAttempt("login") != nil)
        #expect(try await newer.sessions(matching: SessionFilter(buyer: (old.issuer, old.subject))).count == 1)
        var named = kept
        named.generation += 1
        named.providerSessionID = "sid"
        #expect(try await newer.replace(named, expecting: kept.generation))
        #expect(try await newer.sessions(matching: SessionFilter(providerSessionID: "sid")).map(\.id) == [old.id])
        #expect(try await newer.markUsed("token", until: Date(timeIntervalSince1970: 2_000_000_000)))
        #expect(try await newer.checkHealth().isSound)
        await newer.close()
        #expect(try await directory.open().session(old.id)?.providerSessionID == "sid")
    }

    @Test("an old file that cannot be written is left as it is")
    func readOnly() async throws {
        let directory = try StoreDirectory()
        try await directory.open().close()
        try turnBack(directory)
        let before = try directory.contents(directory.database)
        try directory.setMode(0o400, of: directory.database)
        await expect(.storeReadOnly, .configuration) { try await directory.open() }
        try directory.setMode(0o600, of: directory.database)
        #expect(try directory.contents(directory.database) == before)
    }
}
