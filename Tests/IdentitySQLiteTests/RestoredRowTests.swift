import CIdentitySQLite
import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityTesting
import Synchronization
import TestDoubles
import TestGuides
import TestStores
import Testing

@testable import IdentitySQLite

/// Runs the statements of `Documentation/Operating/SQLite.md` that put a quarantined row back.
@Suite("Rows that are put back from quarantine")
struct RestoredRowTests {
    private let statements: [String]

    init() throws {
        statements = try GuidePage("Documentation/Operating/SQLite.md").blocks("sql")
        try #require(statements.count == 2)
    }

    /// Damages the rows of sessions and moves them to quarantine.
    private func quarantine(_ sessions: [SessionID], _ store: SQLiteStore, _ directory: StoreDirectory) async throws {
        for id in sessions {
            let damage = "UPDATE session SET generation = generation + 1 WHERE key = \(try store.rowKey(id))"
            try directory.connection().execute(damage)
        }
        #expect(try await store.quarantineDamagedRows() == sessions.count)
    }

    @Test("a session with an unfinished refresh is repaired after the guide's statements have put its row back")
    func inDoubt() async throws {
        let directory = try StoreDirectory()
        let clock = ManualClock(isAdvancedBySleeping: true)
        let provider = StrictProvider(clock: clock)
        func manager(_ store: SQLiteStore) throws -> SessionManager {
            SessionManager(
                providers: try ProviderRegistry([provider]),
                store: store,
                environment: IdentityEnvironment(transport: try CurlTransport(), clock: clock)
            )
        }
        let store = try await directory.open { $0.clock = clock }
        let first = try manager(store)
        let tokens = provider.mint(Buyer(issuer: "https://id.example", subject: "buyer"))
        let id = try await first.establish(tokens, provider: "strict").id
        clock.advance(by: .seconds(3_700))
        let lost = IdentityError(
            .retryLater,
            .unexpectedResponse,
            "Bad gateway.",
            providerResponse: .init(status: 502)
        )
        provider.fail(with: Array(repeating: lost, count: 100))
        await #expect(throws: IdentityError.self) { try await first.tokens(for: id) }
        let stored = try #require(try await store.session(id))
        #expect(stored.isInDoubt)
        try await quarantine([id], store, directory)

        // Undoes the damage, which was the increased generation.
        try directory.connection().execute("UPDATE quarantine SET generation = generation - 1")
        try directory.connection().execute(statements[0])
        let restored = try #require(try await store.session(id))
        #expect(restored.isInDoubt && !restored.isRestored)
        #expect(restored.generation == stored.generation && restored.retainedUntil == stored.retainedUntil)
        #expect(try await store.checkHealth().quarantinedRows == 0)

        provider.fail(with: [])
        let later = try manager(store)
        var expected = RepairReport()
        expected.repaired = 1
        #expect(try await later.repair() == expected)
        #expect(try await store.session(id)?.isInDoubt == false)
        #expect(try await later.tokens(for: id).tokens.accessToken.reveal() == "access-2")
        // The row has its end of retention again, so the sweep removes it.
        #expect(try await store.sweep(expiredBefore: .distantFuture) == 1)
    }

    @Test("a session that is put back from quarantine while a call looks for it is found")
    func duringLookup() async throws {
        let directory = try StoreDirectory()
        // By the manual clock, no read is slow. A slow read would stop the direct reads.
        let store = try await directory.open { $0.clock = ManualClock() }
        let session = try sampleSession()
        try await store.insert(session)
        try await quarantine([session.id], store, directory)
        try directory.connection().execute("UPDATE quarantine SET generation = generation - 1")
        let puttingBack = Action(before: "FROM quarantine") { [statements] in
            try directory.connection().execute(statements[0])
        }
        let isInstalled = try store.database.direct.read { puttingBack.install(on: $0) }
        try #require(isInstalled == true)
        // Without the reader, the call can only use the connection on which the action is installed.
        await store.database.reader.close()
        #expect(try await store.session(session.id)?.payload.reveal() == "tokens")
        #expect(puttingBack.count == 1)
    }

    @Test("the guide's statements put a row of a backup in the place of a quarantined row, and mark it as restored")
    func ofBackup() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        let sessions = [try sampleSession(), try sampleSession()]
        for session in sessions { try await store.insert(session) }
        let claimed = try await store.save(sessions[0].next(isInDoubt: true), after: sessions[0])
        let backup = directory.path + "/backup.sqlite"
        try await store.backup(to: backup)
        try await quarantine(sessions.map(\.id), store, directory)
        let id = try await store.database.read { [key = try store.rowKey(claimed.id)] in
            try $0.texts("SELECT id FROM quarantine WHERE key = \(key)")[0]
        }

        let statement = statements[1].replacing("/backup/identity-2026-11-21.sqlite", with: backup)
            .replacing("id = 1", with: "id = \(id)")
        #expect(statement.contains(backup))
        try directory.connection().execute(statement)
        let restored = try #require(try await store.session(claimed.id))
        #expect(restored.isInDoubt && restored.isRestored)
        #expect(restored.generation == claimed.generation)
        // The other row stays in quarantine.
        #expect(try await store.checkHealth().quarantinedRows == 1)
    }

    @Test("a row that is put back from the quarantine of a backup is marked as restored")
    func quarantineOfBackup() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        let session = try sampleSession()
        try await store.insert(session)
        try await quarantine([session.id], store, directory)
        let other = try StoreDirectory()
        try await store.backup(to: other.database)
        let copy = try await other.open { $0.key = directory.key }
        try other.connection().execute("UPDATE quarantine SET generation = generation - 1")
        try other.connection().execute(statements[0])
        #expect(try await copy.session(session.id)?.isRestored == true)
    }
}

/// Runs its body once, immediately before a connection of a store runs its first statement that contains a text.
private final class Action: Sendable {
    private let text: String
    private let body: @Sendable () throws -> Void
    private let runs = Mutex(0)

    init(before text: String, _ body: @escaping @Sendable () throws -> Void) {
        self.text = text
        self.body = body
    }

    var count: Int { runs.withLock(\.self) }

    /// Installs the action, which must exist as long as the connection is used; false if this is not possible.
    func install(on connection: Connection) -> Bool {
        // The property is private, because only the connection uses its pointer.
        let property = Mirror(reflecting: connection).children.first { $0.label == "pointer" }
        guard let pointer = unsafe property?.value as? OpaquePointer else { return false }
        // SQLite calls the function before the statement takes its lock.
        let result = unsafe sqlite3_trace_v2(
            pointer,
            UInt32(SQLITE_TRACE_STMT),
            { _, context, _, sql in
                guard let context = unsafe context, let sql = unsafe sql else { return 0 }
                let action = unsafe Unmanaged<Action>.fromOpaque(context).takeUnretainedValue()
                unsafe action.begins(String(cString: sql.assumingMemoryBound(to: CChar.self)))
                return 0
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
        return result == SQLITE_OK
    }

    private func begins(_ statement: String) {
        let isFirst = runs.withLock { count in
            guard count == 0, statement.contains(text) else { return false }
            count += 1
            return true
        }
        guard isFirst else { return }
        do { try body() } catch { Issue.record(error) }
    }
}
