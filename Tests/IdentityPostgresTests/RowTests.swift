#if PostgreSQL
import FoundationEssentials
import IdentityKit
import IdentityStoreKit
import TestPostgres
import TestStores
import Testing

@testable import IdentityPostgres

@Suite(
    "Rows in PostgreSQL",
    .enabled(if: TestPostgresServer.isAvailable, "apt-get install libpq-dev postgresql"),
    .timeLimit(.minutes(5))
)
struct RowTests {
    private let later = Date(timeIntervalSince1970: 2_000_000_000)

    @Test("a row with swapped, changed or damaged columns cannot be opened, and is kept")
    func swapped() async throws {
        let schema = try await TestSchema()
        let other = try await TestSchema()
        let (store, foreign) = (try await schema.open(), try await other.open { $0.key = schema.key })
        let sessions = try (0..<3).map { try sampleSession(payload: "tokens \($0)", tenant: "shop \($0)") }
        for session in sessions { try await store.insert(session) }
        for session in sessions.prefix(1) { try await foreign.insert(session) }
        let keys = try sessions.map { StoreRecords.rowKey(try store.records.hash(of: $0.id)) }
        let foreignKey = StoreRecords.rowKey(try foreign.records.hash(of: sessions[0].id))
        let original = try #require(
            try await store.execute("SELECT slot FROM §session WHERE key = $1", .integer(keys[0])).first?.bytes(0)
        )
        let changes = [
            "UPDATE §session SET slot = (SELECT slot FROM §session WHERE key = \(keys[1])) WHERE key = \(keys[0])",
            "UPDATE §session SET tenant = 'shop 1' WHERE key = \(keys[0])",
            "UPDATE §session SET provider = 'bolt' WHERE key = \(keys[0])",
            "UPDATE §session SET generation = generation + 1 WHERE key = \(keys[0])",
            "UPDATE §session SET buyer = hash WHERE key = \(keys[0])",
            "UPDATE §session SET provider_session = hash WHERE key = \(keys[0])",
            """
            UPDATE §session SET slot = (SELECT slot FROM "\(other.name)".session WHERE key = \(foreignKey))
            WHERE key = \(keys[0])
            """,
            "UPDATE §session SET slot = substring(slot FROM 1 FOR 100) WHERE key = \(keys[0])",
            "UPDATE §session SET slot = set_byte(slot, 4000, get_byte(slot, 4000) # 1) WHERE key = \(keys[0])",
            "UPDATE §session SET slot = set_byte(slot, 5, 9) WHERE key = \(keys[0])",
        ]
        for change in changes {
            #expect(try await store.execute(change).changed == 1)
            await expect(.storeCorrupt, .configuration) { try await store.session(sessions[0].id) }
            await expect(.storeCorrupt, .configuration) { try await store.remove(sessions[0].id) }
            #expect(try await store.session(sessions[2].id) != nil)
            #expect(try await store.checkHealth().damagedRows == 1)
            #expect(try await store.sessions(matching: SessionFilter()).count == 2)
            try await store.execute(
                """
                UPDATE §session SET slot = $1, tenant = 'shop 0', provider = 'shopify', generation = \(1 << 40),
                buyer = (SELECT buyer FROM §session WHERE key = \(keys[2])), provider_session = NULL WHERE key = \(keys[0])
                """,
                .bytes(original)
            )
            #expect(try await store.session(sessions[0].id)?.payload.reveal() == "tokens 0")
        }
    }

    @Test("damaged rows are moved to quarantine, are still reported as damaged, and are removed after 30 days")
    func quarantine() async throws {
        let schema = try await TestSchema()
        let store = try await schema.open()
        let (bad, good) = (try sampleSession(providerSessionID: "sid"), try sampleSession())
        for session in [bad, good] {
            try await store.insert(session)
            #expect(try await store.setAttachment("cart", to: Secret("x"), of: session.id, expecting: nil))
        }
        let key = StoreRecords.rowKey(try store.records.hash(of: bad.id))
        try await store.execute(
            "UPDATE §session SET slot = set_byte(slot, 99, get_byte(slot, 99) # 1) WHERE key = \(key)"
        )
        #expect(try await store.quarantineDamagedRows() == 2)
        #expect(try await store.quarantineDamagedRows() == 0)
        await expect(.storeCorrupt, .configuration) { try await store.session(bad.id) }
        await expect(.storeCorrupt, .configuration) { try await store.remove(bad.id) }
        await expect(.storeCorrupt, .configuration) {
            try await store.replace(bad.next("x"), expecting: bad.generation)
        }
        await expect(.storeCorrupt, .configuration) { try await store.attachment("cart", of: bad.id) }
        await expect(.storeCorrupt, .configuration) {
            try await store.sessions(matching: SessionFilter(providerSessionID: "sid"))
        }
        #expect(try await store.sessions(matching: SessionFilter()).map(\.id) == [good.id])
        #expect(try await store.readableSessions(matching: SessionFilter()).damage?.code == .storeCorrupt)
        #expect(try await store.attachment("cart", of: good.id) != nil)
        let health = try await store.checkHealth()
        #expect(health.damagedRows == 0 && health.quarantinedRows == 2 && health.sessions == 1)
        _ = try await store.sweep(expiredBefore: later)
        #expect(try await store.checkHealth().quarantinedRows == 2)
        try await store.execute("UPDATE §quarantine SET moved_at = moved_at - interval '31 days'")
        _ = try await store.sweep(expiredBefore: later)
        #expect(try await store.checkHealth().quarantinedRows == 0)
        #expect(try await store.session(bad.id) == nil)
    }

    @Test(
        "rows with a damaged hash are reported as damaged, never as unknown, and a mark of a used token still counts"
    )
    func damagedHash() async throws {
        let store = try await TestSchema().open()
        let session = try sampleSession()
        try await store.insert(session)
        #expect(try await store.setAttachment("cart", to: Secret("x"), of: session.id, expecting: nil))
        try await store.insert(StoredLoginAttempt(key: "login", expiresAt: later, payload: Secret("p")))
        #expect(try await store.markUsed("jti", until: later))
        for table in ["attachment", "login_attempt", "used_token"] {
            try await store.execute("UPDATE §\(table) SET hash = set_byte(hash, 31, get_byte(hash, 31) # 1)")
        }
        await expect(.storeCorrupt, .configuration) { try await store.attachment("cart", of: session.id) }
        await expect(.storeCorrupt, .configuration) { try await store.takeLoginAttempt("login") }
        #expect(try await store.isUsed("jti"))
        #expect(try await !store.markUsed("jti", until: later))
        try await store.execute("UPDATE §session SET hash = set_byte(hash, 31, get_byte(hash, 31) # 1)")
        func expectDamaged() async {
            await expect(.storeCorrupt, .configuration) { try await store.session(session.id) }
            await expect(.storeCorrupt, .configuration) { try await store.remove(session.id) }
            await expect(.storeCorrupt, .configuration) {
                try await store.replace(session.next("x"), expecting: session.generation)
            }
            await expect(.storeCorrupt, .configuration) { try await store.attachment("cart", of: session.id) }
            await expect(.storeCorrupt, .configuration) { try await store.takeLoginAttempt("login") }
        }
        await expectDamaged()
        for payload in [Secret("y"), nil] {
            await expect(.storeCorrupt, .configuration) {
                try await store.setAttachment("note", to: payload, of: session.id, expecting: nil)
            }
        }
        #expect(try await store.checkHealth().damagedRows == 3)
        #expect(try await store.quarantineDamagedRows() == 3)
        await expectDamaged()
    }

    @Test("a key rotation and its reversal work while the store is in use, and rows of a missing key are kept")
    func rotation() async throws {
        let schema = try await TestSchema()
        let old = try await schema.open()
        let sessions = try (0..<5).map { try sampleSession(payload: "tokens \($0)") }
        for session in sessions { try await old.insert(session) }
        #expect(try await old.setAttachment("cart", to: Secret("x"), of: sessions[0].id, expecting: nil))
        try await old.insert(StoredLoginAttempt(key: "a", tenant: "t", expiresAt: later, payload: Secret("p")))
        let busy = sessions[1].next("claimed", isInDoubt: true)
        #expect(try await old.replace(busy, expecting: sessions[1].generation))
        let key = try TestSchema.key()
        // The new key becomes active at once, so `old`, which does not have this key, cannot read the rows that it encrypts.
        let new = try await schema.open {
            $0.readOnlyKeys = [$0.key]
            $0.key = key
        }
        func usage(_ store: PostgresStore) async throws -> [String] {
            try await store.keyUsage().map { "\($0.role.rawValue) \($0.rows)" }
        }
        #expect(try await usage(new) == ["active 0", "read_only 7"])
        #expect(try await new.checkHealth().rowsUnderReadOnlyKeys == 7)
        var total = ResealProgress()
        repeat {
            let step = try await new.resealRows(after: total.position, limit: 2)
            total += step
        } while total.position != nil
        #expect(total.resealed == 6 && total.postponed == 1)
        #expect(try await usage(new) == ["active 6", "read_only 1"])
        for session in sessions where session.id != busy.id {
            #expect(try await new.session(session.id)?.payload.isEqual(to: session.payload) == true)
        }
        #expect(try await new.attachment("cart", of: sessions[0].id)?.payload.reveal() == "x")
        #expect(try await new.takeLoginAttempt("a")?.payload.reveal() == "p")
        // A process without the new key reports the missing key and counts the unreadable rows.
        await expect(.storeKeyMismatch, .configuration) { try await old.session(sessions[0].id) }
        #expect(try await old.checkHealth().rowsWithoutKey == 5)
        #expect(try await old.quarantineDamagedRows() == 0)
        #expect(try await usage(old).contains("missing 5"))
        // The rotation is reverted: the old key is active again.
        let back = try await schema.open { $0.readOnlyKeys = [key] }
        var position: ResealPosition?
        repeat {
            position = try await back.resealRows(after: position, limit: 100).position
        } while position != nil
        #expect(try await old.session(sessions[0].id) != nil)
    }

    @Test("sessions that are marked as restored stay marked until their next save")
    func restored() async throws {
        let store = try await TestSchema().open()
        let session = try sampleSession()
        try await store.insert(session)
        #expect(try await store.markAllAsRestored() == 1)
        #expect(try await store.session(session.id)?.isRestored == true)
        #expect(try await store.replace(session.next("x"), expecting: session.generation))
        #expect(try await store.session(session.id)?.isRestored == false)
    }

    @Test("a sweep also checks the database's clock, so a machine whose clock is fast removes nothing early")
    func sweeping() async throws {
        let store = try await TestSchema().open()
        let session = try sampleSession(retainedUntil: later)
        try await store.insert(session)
        try await store.insert(StoredLoginAttempt(key: "a", expiresAt: later, payload: Secret("p")))
        #expect(try await store.markUsed("token", until: later))
        #expect(try await store.sweep(expiredBefore: later + 1_000_000_000) == 0)
        #expect(try await store.session(session.id) != nil)
        #expect(try await store.isUsed("token"))
    }

    @Test("rows show only the names of tenant, provider and issuer of a buyer")
    func canary() async throws {
        let schema = try await TestSchema()
        let store = try await schema.open()
        let session = try sampleSession(
            payload: "canary-token",
            subject: "canary-subject",
            providerSessionID: "canary-sid"
        )
        try await store.insert(session)
        #expect(try await store.setAttachment("canary-name", to: Secret("canary-cart"), of: session.id, expecting: nil))
        try await store.insert(
            StoredLoginAttempt(key: "canary-key", expiresAt: later, payload: Secret("canary-attempt"))
        )
        #expect(try await store.markUsed("canary-used", until: later))
        let tables = [
            "store", "lookup_key", "session", "login_attempt", "attachment", "used_token", "lease", "quarantine",
        ]
        for table in tables {
            let found = try await store.execute(
                """
                SELECT count(*) FROM §\(table) AS row WHERE row::text LIKE '%canary%'
                OR row::text LIKE '%' || encode('canary', 'hex') || '%' OR row::text LIKE '%\(session.id.rawValue)%'
                """
            )
            #expect(found.first?.integer(0) == 0, "in \(table)")
        }
    }

    @Test("sessions that cannot be saved are spooled only if a spool is configured")
    func noSpool() async throws {
        let store = try await TestSchema().open()
        let session = try sampleSession()
        await expect(.configurationInvalid, .configuration) { try await store.spool(session) }
        #expect(try await store.spooledSession(session.id) == nil)
        #expect(try await store.spooledSessions().isEmpty)
        try await store.removeSpooledSession(session.id)
    }
}
#endif
