#if PostgreSQL
import FoundationEssentials
import IdentityKit
import IdentityPlatform
import IdentityStoreKit
import TestDirectories
import TestPostgres
import TestProcesses
import TestStores
import Testing

@testable import IdentityPostgres

@Suite(
    "Opening a store in PostgreSQL",
    .enabled(if: TestPostgresServer.isAvailable, "apt-get install libpq-dev postgresql"),
    .timeLimit(.minutes(5))
)
struct OpeningTests {
    @Test("eight concurrent openers create one schema")
    func race() async throws {
        let schema = try await TestSchema()
        let session = try sampleSession()
        let stores = try await withThrowingTaskGroup(of: PostgresStore.self) { group in
            for _ in 0..<8 { group.addTask { try await schema.open { $0.maximumConnections = 1 } } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        try await stores[0].insert(session)
        for store in stores { #expect(try await store.session(session.id)?.payload.reveal() == "tokens") }
        #expect(try await stores[0].execute("SELECT count(*) FROM §lookup_key").first?.integer(0) == 1)
    }

    @Test("opening with another key is refused with the ids of the keys, and nothing is changed")
    func wrongKey() async throws {
        let schema = try await TestSchema()
        _ = try await schema.open()
        let other = try TestSchema.key()
        let error = await expect(.storeKeyMismatch, .configuration) { try await schema.open { $0.key = other } }
        #expect(error?.message.contains(schema.key.id) == true && error?.message.contains(other.id) == true)
        #expect(try await schema.open().execute("SELECT count(*) FROM §lookup_key").first?.integer(0) == 1)
    }

    @Test("keys may come from a source, and a failing source is a temporary error")
    func keySource() async throws {
        struct Service: StoreKeySource {
            func keys() async throws -> StoreKeys { throw TestPostgresServer.Failure(text: "no answer") }
        }
        let schema = try await TestSchema()
        let (key, connection) = (try TestSchema.key(), schema.server.local())
        _ = try await PostgresStore.open(connection: connection, keys: StoreKeys(active: key)) {
            $0.schema = schema.name
        }
        let both = StoreKeys(active: schema.key, readOnly: [key])
        let store = try await PostgresStore.open(connection: connection, keys: both) { $0.schema = schema.name }
        #expect(try await store.keyUsage().map(\.role) == [.active, .readOnly])
        await expect(.storeKeyUnavailable, .retryLater) {
            try await PostgresStore.open(connection: connection, keys: Service()) { $0.schema = schema.name }
        }
    }

    @Test("a store of a newer version is refused and not changed")
    func tooNew() async throws {
        let schema = try await TestSchema()
        let store = try await schema.open()
        try await store.execute("UPDATE §store SET version = 99")
        try await store.execute("ALTER TABLE §store RENAME slot_size TO something_else")
        await expect(.storeTooNew, .configuration) { try await schema.open() }
        #expect(try await store.execute("SELECT version FROM §store").first?.integer(0) == 99)
    }

    @Test(
        "tables of an older format are refused with advice, and left as they are",
        arguments: [
            "UPDATE §store SET version = \(Schema.version - 1)",
            "ALTER TABLE §store DROP COLUMN format",
            "UPDATE §store SET format = sha256('tables of an older version')",
        ]
    )
    func older(_ change: String) async throws {
        let schema = try await TestSchema()
        let store = try await schema.open()
        try await store.insert(try sampleSession())
        try await store.execute(change)
        let error = await expect(.storeCorrupt, .configuration) { try await schema.open() }
        #expect(error?.message.contains("\"\(schema.name)\"") == true && error?.hint?.contains("empty schema") == true)
        #expect(try await store.execute("SELECT count(*) FROM §session").first?.integer(0) == 1)
    }

    @Test("the format of the tables changes with their columns, and not with their layout")
    func format() throws {
        let tables = ["CREATE TABLE §a (\n  b bigint\n)"]
        #expect(try Schema.format(of: tables) == Schema.format(of: ["CREATE TABLE §a ( b bigint )"]))
        #expect(try Schema.format(of: tables) != Schema.format(of: ["CREATE TABLE §a ( b text )"]))
        #expect(try Schema.format(of: tables) != Schema.format())
    }

    @Test(
        "a schema that contains a table of another program with a name of the store's tables or indexes is refused",
        arguments: ["store", "session", "session_tenant"]
    )
    func foreign(table: String) async throws {
        let schema = try await TestSchema()
        let other = try await TestSchema().open()
        try await other.execute("CREATE SCHEMA \(schema.name)")
        try await other.execute("CREATE TABLE \(schema.name).\(table) (name text)")
        await expect(.configurationInvalid, .configuration) { try await schema.open() }
    }

    @Test("no empty store is created beside a spool with sessions", arguments: [true, false])
    func orphanedSpool(_ creates: Bool) async throws {
        let folder = try TemporaryDirectory("spool")
        defer { folder.remove() }
        let path = folder.path(of: "spool")
        let store = try await TestSchema().open { $0.spoolDirectory = path }
        try await store.spool(try sampleSession())
        let empty = try await TestSchema()
        let error = await expect(.configurationInvalid, .configuration) {
            try await empty.open { ($0.spoolDirectory, $0.createsStore) = (path, creates) }
        }
        #expect(error?.message.contains("one file with tokens") == true)
        // The schema is still empty.
        await expect(.configurationInvalid, .configuration) { try await empty.open { $0.createsStore = false } }
    }

    @Test("a spool directory that cannot be used is refused, and one that can be created is not created yet")
    func unusableSpool() async throws {
        let folder = try TemporaryDirectory("spool")
        defer { folder.remove() }
        let schema = try await TestSchema()
        let path = folder.path(of: "spool")
        _ = try await schema.open { $0.spoolDirectory = path }
        #expect(!FileManager.default.fileExists(atPath: path))
        await expect(.storeFailed, .retryLater) { try await schema.open { $0.spoolDirectory = path + "/a/spool" } }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        await expect(.configurationInvalid, .configuration) { try await schema.open { $0.spoolDirectory = path } }
    }

    @Test("if createsStore is false, a missing store is an error, and nothing is created")
    func missing() async throws {
        let schema = try await TestSchema()
        await expect(.configurationInvalid, .configuration) { try await schema.open { $0.createsStore = false } }
        _ = try await schema.open()
        _ = try await schema.open { $0.createsStore = false }
    }

    @Test("a missing table is reported as damage, not as an empty store")
    func lostTable() async throws {
        let schema = try await TestSchema()
        let store = try await schema.open()
        let id = try sampleSession().id
        try await store.execute("DROP TABLE §session CASCADE")
        await expect(.storeCorrupt, .configuration) { try await store.session(id) }
    }

    @Test("a wrong password is a configuration error, and no text repeats it")
    func wrongPassword() async throws {
        let schema = try await TestSchema()
        let password = "s3cret-that-nobody-may-see"
        let error = await expect(.configurationInvalid, .configuration) {
            try await schema.open { $0.connection = schema.server.network(password: password) }
        }
        let shown = try #require(error)
        var dumped = ""
        dump(shown, to: &dumped)
        for text in ["\(shown)", String(reflecting: shown), shown.message, dumped] { #expect(!text.contains(password)) }
        let configuration = schema.configuration { $0.connection = schema.server.network(password: password) }
        dump(configuration, to: &dumped)
        #expect(!dumped.contains(password) && !"\(configuration)".contains(password))
        _ = try await schema.open { $0.connection = schema.server.network() }
    }

    @Test("a missing database is a configuration error")
    func missingDatabase() async throws {
        let schema = try await TestSchema()
        await expect(.configurationInvalid, .configuration) {
            try await schema.open { $0.connection = schema.server.local(database: "nowhere") }
        }
    }

    @Test("an unreachable server is a temporary error")
    func unreachable() async throws {
        let schema = try await TestSchema()
        await expect(.storeUnavailable, .retryLater) {
            try await schema.open {
                $0.connection = Secret("postgresql://a@/b?host=/nonexistent")
                $0.callLimit = .milliseconds(300)
            }
        }
    }

    @Test("a store opens and adds connections although the first host of its connection string does not respond")
    func silentHost() async throws {
        let schema = try await TestSchema()
        // The system completes the TCP handshake, and nobody reads from the connection.
        let listener = Platform.socket(AF_INET, Platform.streamSocket, 0)
        defer { close(listener) }
        let port = try LoopbackPort.bind(listener)
        try #require(listen(listener, 64) == 0)
        let store = try await schema.open {
            $0.connection = Secret(
                """
                host=localhost,localhost hostaddr=127.0.0.1,127.0.0.1 port=\(port),\(schema.server.port) dbname=postgres \
                user=\(TestPostgresServer.user) password=\(TestPostgresServer.password)
                """
            )
            // The two limits are equal, as by default. If the hosts did not share the time, the first host would use up the whole call.
            ($0.callLimit, $0.connectLimit) = (.seconds(15), .seconds(15))
            $0.listensForNotifications = false
        }
        let session = try sampleSession()
        try await store.insert(session)
        // While a transaction uses the first connection, the call needs a second one.
        let found = try await store.client.transaction(by: .now + .seconds(60)) { _ in
            try await store.session(session.id)
        }
        #expect(found?.id == session.id)
    }

    @Test("a user without permissions is a configuration error, and a user can use its own schema")
    func rights() async throws {
        let schema = try await TestSchema()
        let admin = try await TestSchema().open()
        let role = "r\(schema.name)"
        try await admin.execute("CREATE ROLE \(role) LOGIN")
        let connection = Secret(
            "postgresql://\(role)@/postgres?host=\(schema.server.folder)&port=\(schema.server.port)"
        )
        await expect(.configurationInvalid, .configuration) { try await schema.open { $0.connection = connection } }
        try await admin.execute("CREATE SCHEMA \(schema.name) AUTHORIZATION \(role)")
        let store = try await schema.open { $0.connection = connection }
        try await store.insert(try sampleSession())
    }

    @Test("if a role has synchronous_commit off, commits are durable, or behind a pooler the store does not open")
    func durability() async throws {
        let schema = try await TestSchema()
        let admin = try await TestSchema().open()
        let role = "r\(schema.name)"
        try await admin.execute("CREATE ROLE \(role) LOGIN SUPERUSER")
        try await admin.execute("ALTER ROLE \(role) SET synchronous_commit = off")
        let connection = Secret(
            "postgresql://\(role)@/postgres?host=\(schema.server.folder)&port=\(schema.server.port)"
        )
        let store = try await schema.open { $0.connection = connection }
        #expect(try await store.execute("SELECT current_setting('synchronous_commit')").first?.text(0) == "on")
        let error = await expect(.configurationInvalid, .configuration) {
            try await schema.open {
                $0.connection = connection
                $0.usesTransactionPooler = true
            }
        }
        #expect(error?.message.contains("synchronous_commit") == true)
    }

    @Test("a server without free connections is a temporary error")
    func tooManyConnections() async throws {
        let schema = try await TestSchema()
        let admin = try await TestSchema().open()
        let role = "r\(schema.name)"
        try await admin.execute("CREATE ROLE \(role) LOGIN CONNECTION LIMIT 0")
        await expect(.storeUnavailable, .retryLater) {
            try await schema.open {
                $0.connection = Secret(
                    "postgresql://\(role)@/postgres?host=\(schema.server.folder)&port=\(schema.server.port)"
                )
                $0.callLimit = .milliseconds(300)
            }
        }
    }
}
#endif
