import FoundationEssentials
import IdentityKit
import IdentityStoreKit
import IdentityTesting
import TestStores
import Testing

@testable import IdentitySQLite

@Suite("Quarantine")
struct QuarantineTests {
    /// A store with five sessions, a login and an attachment, of which some are damaged.
    private func damaged() async throws -> (StoreDirectory, SQLiteStore, [StoredSession], ManualClock) {
        let directory = try StoreDirectory()
        let clock = ManualClock()
        let store = try await directory.open { ($0.clock, $0.savesPendingLoginsDurably) = (clock, true) }
        var sessions = try (0..<5).map { try sampleSession(subject: "buyer \($0)", tenant: "shop") }
        sessions[0].providerSessionID = "sid"
        for session in sessions { try await store.insert(session) }
        #expect(try await store.setAttachment("cart", to: Secret("x"), of: sessions[4].id, expecting: nil))
        try await store.insert(sampleAttempt("login"))
        let keys = try sessions.map { try store.rowKey($0.id) }
        try directory.connection().execute(
            """
            UPDATE session SET slot = substr(slot, 1, 5000)
                || CASE substr(slot, 5001, 1) WHEN x'00' THEN x'01' ELSE x'00' END || substr(slot, 5002) WHERE key = \(keys[0]);
            UPDATE session SET generation = generation + 1 WHERE key = \(keys[1]);
            UPDATE session SET key = 7 WHERE key = \(keys[2]);
            UPDATE login_attempt SET slot = 'text';
            UPDATE attachment SET slot = x'';
            """
        )
        return (directory, store, sessions, clock)
    }

    @Test("a row with a damaged hash is reported as damaged, not as unknown, and a used token still counts as used")
    func damagedHash() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open { $0.savesPendingLoginsDurably = true }
        let session = try sampleSession()
        try await store.insert(session)
        #expect(try await store.setAttachment("cart", to: Secret("x"), of: session.id, expecting: nil))
        try await store.insert(sampleAttempt("login"))
        #expect(try await store.markUsed("jti", until: .distantFuture))
        for table in ["attachment", "login_attempt", "used_token"] {
            try directory.connection().execute("UPDATE \(table) SET hash = zeroblob(length(hash))")
        }
        await expect(.storeCorrupt, .configuration) { try await store.attachment("cart", of: session.id) }
        await expect(.storeCorrupt, .configuration) { try await store.takeLoginAttempt("login") }
        #expect(try await store.isUsed("jti"))
        #expect(try await store.markUsed("jti", until: .distantFuture) == false)
    }

    @Test("every damaged row is moved to quarantine, and its session is still reported as damaged")
    func moves() async throws {
        let (directory, store, sessions, _) = try await damaged()
        defer { withExtendedLifetime(directory) {} }
        #expect(try await store.checkHealth().damagedRows == 5)
        #expect(try await store.quarantineDamagedRows() == 5)
        #expect(try await store.quarantineDamagedRows() == 0)
        let health = try await store.checkHealth()
        #expect(health.isSound)
        #expect([health.quarantinedRows, health.sessions, health.attachments, health.loginAttempts] == [5, 2, 0, 0])
        for number in [0, 1, 2] {
            let session = sessions[number]
            await expect(.storeCorrupt, .configuration) { try await store.session(session.id) }
            await expect(.storeCorrupt, .configuration) { try await store.remove(session.id) }
            await expect(.storeCorrupt, .configuration) {
                try await store.replace(session.next(), expecting: session.generation)
            }
            await expect(.storeFailed, .rejected) { try await store.insert(session) }
            let filter = SessionFilter(buyer: (session.issuer, session.subject))
            await expect(.storeCorrupt, .configuration) { try await store.sessions(matching: filter) }
        }
        await expect(.storeCorrupt, .configuration) {
            try await store.sessions(matching: SessionFilter(providerSessionID: "sid"))
        }
        await expect(.storeCorrupt, .configuration) { try await store.takeLoginAttempt("login") }
        await expect(.storeCorrupt, .configuration) { try await store.attachment("cart", of: sessions[4].id) }
        // The other sessions and the undamaged session of a damaged attachment still work.
        #expect(try await store.sessions(matching: SessionFilter(tenant: "shop")).count == 2)
        #expect(try await store.setAttachment("cart", to: Secret("y"), of: sessions[4].id, expecting: nil))
        #expect(try await store.attachment("cart", of: sessions[4].id)?.payload.reveal() == "y")
        #expect(try await store.remove(sessions[4].id) != nil)
        #expect(try await store.session(try sampleSession().id) == nil)
    }

    @Test("a damaged pending login that was replaced before its quarantine leaves no row in quarantine")
    func replacedBeforeQuarantine() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        try await store.insert(sampleAttempt("login"))
        let logins = try #require(store.logins)
        let rows = try await logins.rows(of: .loginAttempt, after: -1, limit: 1)
        try await store.insert(sampleAttempt("login"))
        #expect(try await logins.quarantine(rows, reasons: [.storeCorrupt("The row is damaged.")]) == 0)
        #expect(try await store.checkHealth().quarantinedRows == 0)
        #expect(try await store.takeLoginAttempt("login") != nil)
        #expect(try await store.takeLoginAttempt("login") == nil)
    }

    @Test("quarantine skips rows whose key this process does not have")
    func missingKey() async throws {
        let directory = try StoreDirectory()
        let old = try await directory.open()
        let session = try sampleSession()
        try await old.insert(session)
        await old.close()
        let new = try StoreDirectory.key()
        await (try directory.open { ($0.key, $0.readOnlyKeys) = (new, [directory.key]) }).close()
        let store = try await directory.open { $0.key = new }
        #expect(try await store.checkHealth().rowsWithoutKey == 1)
        #expect(try await store.quarantineDamagedRows() == 0)
        await expect(.storeKeyMismatch, .configuration) { try await store.session(session.id) }
    }

    @Test("quarantine keeps rows for 30 days, and a session's attachments are removed with its row")
    func sweeping() async throws {
        let (directory, store, sessions, clock) = try await damaged()
        defer { withExtendedLifetime(directory) {} }
        #expect(try await store.setAttachment("note", to: Secret("x"), of: sessions[0].id, expecting: nil))
        #expect(try await store.quarantineDamagedRows() == 5)
        clock.advance(by: .seconds(29 * 86_400))
        _ = try await store.sweep(expiredBefore: clock.now)
        let kept = try await store.checkHealth()
        #expect(kept.quarantinedRows == 5 && kept.attachments == 1)
        clock.advance(by: .seconds(2 * 86_400))
        _ = try await store.sweep(expiredBefore: clock.now)
        let swept = try await store.checkHealth()
        #expect(swept.quarantinedRows == 0 && swept.attachments == 0)
        #expect(try await store.session(sessions[0].id) == nil)
    }

    @Test(
        "unreadable attachments are moved to quarantine when their session is removed, so that a buyer can always log out"
    )
    func attachments() async throws {
        let directory = try StoreDirectory()
        let old = try await directory.open()
        let sessions = [try sampleSession(), try sampleSession()]
        for session in sessions {
            try await old.insert(session)
            for name in ["cart", "damaged"] {
                #expect(
                    try await old.setAttachment(name, to: Secret("mine"), of: session.id, expecting: nil)
                )
            }
        }
        await old.close()
        let new = try StoreDirectory.key()
        let store = try await directory.open { ($0.key, $0.readOnlyKeys) = (new, [directory.key]) }
        _ = try await store.save(sessions[0].next(), after: sessions[0])
        _ = try await store.save(sessions[1].next(), after: sessions[1])
        let revision = try #require(try await store.attachment("cart", of: sessions[0].id)?.revision)
        #expect(
            try await store.setAttachment("cart", to: Secret("new"), of: sessions[0].id, expecting: revision)
        )
        #expect(try await store.setAttachment("moved", to: Secret("x"), of: sessions[1].id, expecting: nil))
        let moved = try store.attachmentKey("moved", sessions[1].id)
        await store.close()
        // One attachment whose row names another session, one that is damaged, and two whose key is missing.
        try directory.connection().execute(
            """
            UPDATE attachment SET slot = x'00' WHERE key = \(try store.attachmentKey("damaged", sessions[0].id));
            UPDATE attachment SET session = \(try store.rowKey(sessions[0].id)) WHERE key = \(moved);
            """
        )
        let late = try await directory.open { $0.key = new }
        let first = try #require(try await late.remove(sessions[0].id))
        #expect(first.attachments.mapValues { $0.reveal() } == ["cart": "new"])
        #expect(try await late.remove(sessions[1].id)?.attachments.isEmpty == true)
        for session in sessions { #expect(try await late.session(session.id) == nil) }
        let health = try await late.checkHealth()
        #expect([health.sessions, health.attachments, health.quarantinedRows] == [0, 0, 4])
        await expect(.storeCorrupt, .configuration) { try await late.attachment("damaged", of: sessions[0].id) }
    }
}
