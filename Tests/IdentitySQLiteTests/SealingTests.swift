import FoundationEssentials
import IdentityCrypto
import IdentityKit
import IdentityStoreKit
import IdentityTesting
import TestGuides
import TestStores
import Testing

@testable import IdentitySQLite

@Suite("Sealed rows")
struct SealingTests {
    private static let row = [UInt8](repeating: 7, count: 32)

    private static func sealer(_ key: StoreKey, storeID: [UInt8] = Array(0..<16), version: UInt32 = 1) -> RecordSealer {
        RecordSealer(keys: StoreKeys(active: key), storeID: storeID, schemaVersion: version, slotSize: 512)
    }

    @Test("an invalid key is refused, and a printed key shows only its id")
    func keys() throws {
        let digits = "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF"
        let key = try StoreKey(hexadecimal: Secret(digits))
        let bytes = [UInt8]((0..<32).map { UInt8($0 % 16 * 17) })
        #expect(try StoreKey(bytes: Secret(bytes: bytes)).id == key.id)
        #expect("\(key)" == "StoreKey(\(key.id))")
        for wrong in ["", "00", digits + "0", String(digits.dropLast()) + "g", digits.replacing("00", with: "é")] {
            #expect(throws: IdentityError.self) { try StoreKey(hexadecimal: Secret(wrong)) }
        }
        #expect(throws: IdentityError.self) { try StoreKey(bytes: Secret(bytes: Array(bytes.dropLast()))) }
        let canary = SecretCanary()
        canary.watch(Secret(digits))
        #expect(canary.findings(in: key).isEmpty)
    }

    @Test("every record fills one, two, four, eight or sixteen slots, and a larger one is refused")
    func length() throws {
        let sealer = Self.sealer(try StoreDirectory.key())
        let identity = RecordFields(.session, row: Self.row)
        for count in [0, 1, 100, sealer.slotCapacity] {
            let body = [UInt8](repeating: 9, count: count)
            let record = try sealer.seal(body, as: identity)
            #expect(record.count == 512)
            #expect(try Array(sealer.open(record, as: identity)) == body)
            #expect(try sealer.seal(body, as: identity) != record)
        }
        let most = sealer.capacity - sealer.slotCapacity
        for (slots, count) in [(2, 1), (2, 512), (4, 513), (8, 1_537), (16, 3_585), (16, most)] {
            let body = [UInt8](repeating: 9, count: sealer.slotCapacity + count)
            let record = try sealer.seal(body, as: identity)
            #expect(record.count == slots * 512)
            #expect(try Array(sealer.open(record, as: identity)) == body)
        }
        for (length, slots) in [(0, 1), (512, 1), (513, 2), (1_024, 2), (2_048, 4), (8_192, 16), (10_000, 16)] {
            let record = try sealer.seal([1], as: identity, atLeast: length)
            #expect(record.count == slots * 512)
            #expect(try Array(sealer.open(record, as: identity)) == [1])
        }
        let error = #expect(throws: IdentityError.self) {
            try sealer.seal([UInt8](repeating: 9, count: sealer.capacity + 1), as: identity)
        }
        #expect(error?.code == .storeRecordTooLarge)
    }

    @Test("with the largest slot size a record of sixteen slots is saved and read")
    func largest() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open { $0.slotSize = 1_048_576 }
        let session = try sampleSession(payload: String(repeating: "x", count: 9 << 20))
        try await store.insert(session)
        #expect(try await store.session(session.id)?.payload.count == 9 << 20)
    }

    @Test("every flipped bit and every truncation is refused")
    func tampering() throws {
        let sealer = Self.sealer(try StoreDirectory.key())
        let identity = RecordFields(.session, row: Self.row)
        let record = try sealer.seal(Array("body".utf8), as: identity)
        for bit in 0..<record.count * 8 {
            var changed = record
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: IdentityError.self) { try sealer.open(changed, as: identity) }
        }
        for count in 0..<record.count {
            #expect(throws: IdentityError.self) { try sealer.open(Array(record.prefix(count)), as: identity) }
        }
        #expect(throws: IdentityError.self) { try sealer.open(record + [0], as: identity) }
    }

    @Test("a record that was cut or padded to another number of slots cannot be decrypted")
    func resizing() throws {
        let sealer = Self.sealer(try StoreDirectory.key())
        let identity = RecordFields(.session, row: Self.row)
        let records = try [1, 2, 4, 8, 16].map { try sealer.seal([7], as: identity, atLeast: $0 * 512) }
        for record in records {
            for count in stride(from: 0, through: 17 * 512, by: 256) where count != record.count {
                let padding = [UInt8](repeating: 0, count: max(0, count - record.count))
                #expect(throws: IdentityError.self) { try sealer.open(record.prefix(count) + padding, as: identity) }
            }
        }
    }

    @Test("a record can be decrypted only in its own row, store and generation")
    func binding() throws {
        let key = try StoreDirectory.key()
        let sealer = Self.sealer(key)
        let identity = RecordFields(
            .session,
            row: Self.row,
            tenant: "a",
            provider: "b",
            issuer: "c",
            buyer: [1],
            generation: 5
        )
        let record = try sealer.seal([1, 2, 3], as: identity)
        let changes: [(inout RecordFields) -> Void] = [
            { $0.kind = .attachment }, { $0.row[31] ^= 1 }, { $0.tenant = "b" }, { $0.provider = "" },
            { $0.issuer = "cc" }, { $0.buyer = [] }, { $0.generation = 4 }, { ($0.tenant, $0.provider) = ("ab", "") },
        ]
        for change in changes {
            var other = identity
            change(&other)
            #expect(throws: IdentityError.self) { try sealer.open(record, as: other) }
        }
        for other in [
            Self.sealer(key, storeID: Array(1..<17)), Self.sealer(key, version: 2),
            Self.sealer(try StoreDirectory.key()),
        ] {
            #expect(throws: IdentityError.self) { try other.open(record, as: identity) }
        }
        #expect(try Array(sealer.open(record, as: identity)) == [1, 2, 3])
    }

    @Test("a row that was changed or swapped is refused, kept and counted")
    func rows() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open { $0.savesPendingLoginsDurably = true }
        let sessions = try (0..<5).map { try sampleSession(subject: "buyer \($0)") }
        for session in sessions { try await store.insert(session) }
        #expect(try await store.setAttachment("cart", to: Secret("x"), of: sessions[0].id, expecting: nil))
        try await store.insert(sampleAttempt("login"))
        let keys = try sessions.map { try store.rowKey($0.id) }
        let connection = try directory.connection()
        try connection.execute(
            """
            UPDATE session SET slot = (SELECT slot FROM session WHERE key = \(keys[1])) WHERE key = \(keys[0]);
            UPDATE session SET slot = substr(slot, 1, 5000)
                || CASE substr(slot, 5001, 1) WHEN x'00' THEN x'01' ELSE x'00' END || substr(slot, 5002) WHERE key = \(keys[2]);
            UPDATE session SET generation = generation + 1 WHERE key = \(keys[3]);
            UPDATE login_attempt SET slot = zeroblob(8192);
            UPDATE attachment SET slot = substr(slot, 1, 100);
            """
        )
        for number in [0, 2, 3] {
            await expect(.storeCorrupt, .configuration) { try await store.session(sessions[number].id) }
            await expect(.storeCorrupt, .configuration) { try await store.remove(sessions[number].id) }
        }
        await expect(.storeCorrupt, .configuration) { try await store.takeLoginAttempt("login") }
        await expect(.storeCorrupt, .configuration) { try await store.attachment("cart", of: sessions[0].id) }
        for number in [1, 4] { #expect(try await store.session(sessions[number].id) != nil) }
        #expect(try await store.sessions(matching: SessionFilter()).count == 2)
        let health = try await store.checkHealth()
        #expect(!health.isSound)
        #expect(health.damagedRows == 5)
        #expect([health.sessions, health.loginAttempts, health.attachments] == [5, 1, 1])
        // A session id must not open another row, even if the keys of the rows are exchanged.
        try connection.execute(
            """
            UPDATE session SET key = -1, hash = (SELECT hash FROM session WHERE key = \(keys[4])) WHERE key = \(keys[1]);
            DELETE FROM session WHERE key = \(keys[4]); UPDATE session SET key = \(keys[4]) WHERE key = -1;
            """
        )
        await expect(.storeCorrupt, .configuration) { try await store.session(sessions[4].id) }
    }

    @Test("a row that was moved to another tenant, or from another store under the same key, cannot be decrypted")
    func moved() async throws {
        let directory = try StoreDirectory()
        let other = try StoreDirectory()
        let store = try await directory.open()
        let otherStore = try await other.open { $0.key = directory.key }
        let sessions = try (0..<2).map { try sampleSession(subject: "buyer \($0)", tenant: "shop") }
        for session in sessions {
            try await store.insert(session)
            try await otherStore.insert(session)
        }
        let keys = try sessions.map { try store.rowKey($0.id) }
        let theirs = try otherStore.rowKey(sessions[1].id)
        let slot = try await otherStore.database.read { connection in
            try connection.texts("SELECT hex(slot) FROM session WHERE key = \(theirs)").first ?? ""
        }
        try directory.connection().execute(
            """
            UPDATE session SET tenant = CAST('other' AS BLOB) WHERE key = \(keys[0]);
            UPDATE session SET slot = x'\(slot)' WHERE key = \(keys[1]);
            """
        )
        for session in sessions {
            await expect(.storeCorrupt, .configuration) { try await store.session(session.id) }
        }
        #expect(try await store.sessions(matching: SessionFilter(tenant: "other")).isEmpty)
        // The row of the same session has another key in the other store.
        #expect(theirs != keys[1])
    }

    @Test("a list of a buyer's or a provider's sessions fails when one of them is damaged")
    func unreadable() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        var sessions = [try sampleSession(), try sampleSession(), try sampleSession(subject: "another")]
        for index in sessions.indices {
            sessions[index].providerSessionID = "session"
            try await store.insert(sessions[index])
        }
        let damaged = try store.rowKey(sessions[0].id)
        try directory.connection().execute(
            "UPDATE session SET slot = zeroblob(8192) WHERE key = \(damaged)"
        )
        func buyer(_ session: StoredSession) -> SessionFilter {
            SessionFilter(buyer: (session.issuer, session.subject))
        }
        for (filter, count) in [(buyer(sessions[0]), 1), (SessionFilter(providerSessionID: "session"), 2)] {
            await expect(.storeCorrupt, .configuration) { try await store.sessions(matching: filter) }
            let listing = try await store.readableSessions(matching: filter)
            #expect(listing.sessions.count == count)
            #expect(listing.damage?.code == .storeCorrupt)
        }
        #expect(try await store.sessions(matching: buyer(sessions[2])).map(\.id) == [sessions[2].id])
        #expect(try await store.sessions(matching: SessionFilter()).count == 2)
    }

    @Test("a session whose row lost its hash is reported as damaged, not as unknown")
    func damagedHash() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        let session = try sampleSession()
        try await store.insert(session)
        for damage in ["CAST(hash AS TEXT)", "zeroblob(32)", "x''"] {
            try directory.connection().execute("UPDATE session SET hash = \(damage)")
            await expect(.storeCorrupt, .configuration) { try await store.session(session.id) }
            for next in [session.next(), session.next(isInDoubt: true)] {
                await expect(.storeCorrupt, .configuration) {
                    try await store.replace(next, expecting: session.generation)
                }
            }
            await expect(.storeCorrupt, .configuration) { try await store.remove(session.id) }
            await expect(.storeCorrupt, .configuration) {
                try await store.setAttachment("cart", to: Secret("x"), of: session.id, expecting: nil)
            }
            #expect(try await store.checkHealth().damagedRows == 1)
        }
        #expect(try await store.quarantineDamagedRows() == 1)
        await expect(.storeCorrupt, .configuration) { try await store.session(session.id) }
    }

    @Test("a session whose hash of the provider's session id is damaged is reported as damaged")
    func damagedProviderSession() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        var session = try sampleSession()
        session.providerSessionID = "sid"
        try await store.insert(session)
        for damage in ["NULL", "x''", "zeroblob(32)"] {
            try directory.connection().execute("UPDATE session SET provider_session = \(damage)")
            await expect(.storeCorrupt, .configuration) { try await store.session(session.id) }
            await expect(.storeCorrupt, .configuration) { try await store.remove(session.id) }
            #expect(try await store.checkHealth().damagedRows == 1)
        }
        #expect(try await store.quarantineDamagedRows() == 1)
    }

    @Test("the encrypted end of retention is used, not the plain-text one")
    func sealedRetention() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        let session = try sampleSession()
        try await store.insert(session)
        try directory.connection().execute("UPDATE session SET retained_until = retained_until + 1000000.5")
        #expect(try await store.session(session.id)?.retainedUntil == session.retainedUntil)
    }

    @Test("no file contains an id, state, subject, name or token", .row("E9"))
    func canary() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        let canary = SecretCanary()
        var session = try sampleSession(payload: canary.plant("token"), subject: canary.plant("subject"))
        canary.watch(Secret(session.id.rawValue))
        try await store.insert(session)
        session.generation += 1
        session.payload = Secret(canary.plant("refreshed"))
        #expect(try await store.replace(session, expecting: session.generation - 1))
        let name = canary.plant("name")
        #expect(try await store.setAttachment(name, to: Secret(canary.plant("cart")), of: session.id, expecting: nil))
        let state = canary.plant("state")
        try await store.insert(
            StoredLoginAttempt(key: state, expiresAt: .distantFuture, payload: Secret(canary.plant("verifier")))
        )
        for removal in [false, true] {
            for file in try [directory.database, directory.journal, directory.locks, directory.loginFile] {
                #expect(canary.findings(in: try directory.contents(file)).isEmpty, "\(file), removed: \(removal)")
            }
            _ = try await store.remove(session.id)
            _ = try await store.takeLoginAttempt(state)
        }
        #expect(canary.findings(in: store).isEmpty)
        #expect(canary.findings(in: directory.key).isEmpty)
    }
}
