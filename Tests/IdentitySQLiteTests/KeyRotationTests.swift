import FoundationEssentials
import IdentityKit
import IdentityStoreKit
import TestStores
import Testing

@testable import IdentitySQLite

@Suite("Rotating the key of a store in use")
struct KeyRotationTests {
    private struct Stage {
        let directory: StoreDirectory
        let new: StoreKey
        let sessions: [StoredSession]

        init(_ count: Int) async throws {
            directory = try StoreDirectory()
            new = try StoreDirectory.key()
            sessions = try (0..<count).map { try sampleSession(subject: "buyer \($0)", tenant: "shop") }
            let store = try await directory.open { $0.slotSize = 512 }
            for session in sessions { try await store.insert(session) }
            #expect(try await store.setAttachment("cart", to: Secret("x"), of: sessions[0].id, expecting: nil))
            try await store.insert(sampleAttempt("login", tenant: "shop"))
            await store.close()
        }

        func open() async throws -> SQLiteStore {
            try await directory.open { ($0.key, $0.readOnlyKeys, $0.lockWait) = (new, [directory.key], .seconds(600)) }
        }
    }

    private func finish(_ store: SQLiteStore, limit: Int) async throws -> ResealProgress {
        var total = ResealProgress()
        repeat {
            let step = try await store.resealRows(after: total.position, limit: limit)
            total += step
        } while total.position != nil
        return total
    }

    @Test(
        "a key rotation encrypts every row with the new key in steps, and the old key is no longer needed",
        arguments: [1, 2, 7, 100]
    )
    func rotation(_ limit: Int) async throws {
        let stage = try await Stage(7)
        let store = try await stage.open()
        var usage = [
            StoreKeyUsage(id: stage.new.id, role: .active, rows: 0),
            StoreKeyUsage(id: stage.directory.key.id, role: .readOnly, rows: 9),
        ]
        #expect(try await store.keyUsage() == usage)
        try await store.fillDisk()
        let progress = try await finish(store, limit: limit)
        #expect([progress.resealed, progress.postponed, progress.unreadable] == [9, 0, 0])
        (usage[0].rows, usage[1].rows) = (9, 0)
        #expect(try await store.keyUsage() == usage)
        // Each old record begins with the identifier of its key.
        #expect(try !stage.directory.contents(stage.directory.journal).contains(stage.directory.key.identifier))
        #expect(try await finish(store, limit: limit).resealed == 0)
        await store.close()
        let last = try await stage.directory.open { $0.key = stage.new }
        #expect(try await last.keyUsage() == [usage[0]])
        for session in stage.sessions {
            // The generation is unchanged, so the next save of another process succeeds.
            #expect(try await last.session(session.id)?.generation == session.generation)
        }
        #expect(try await last.attachment("cart", of: stage.sessions[0].id)?.payload.reveal() == "x")
        #expect(try await last.takeLoginAttempt("login") != nil)
    }

    @Test("a key rotation skips sessions with a refresh in progress, unreadable rows, and rows of missing keys")
    func left() async throws {
        let stage = try await Stage(3)
        let old = try await stage.directory.open()
        _ = try await old.save(stage.sessions[0].next(isInDoubt: true), after: stage.sessions[0])
        try stage.directory.connection().execute(
            "UPDATE session SET generation = 5, in_doubt = 1 WHERE key = \(try old.rowKey(stage.sessions[1].id))"
        )
        await old.close()
        let store = try await stage.open()
        let progress = try await finish(store, limit: 2)
        #expect([progress.resealed, progress.postponed, progress.unreadable] == [3, 1, 1])
        let claimed = try #require(try await store.session(stage.sessions[0].id))
        #expect(claimed.isInDoubt)
        await store.close()
        // The rotation is reverted: the old key is active again, and the new key is missing at first.
        let back = try await stage.directory.open()
        let undone = try await finish(back, limit: 10)
        #expect([undone.resealed, undone.unreadable] == [0, 3])
        #expect(try await back.keyUsage().last == StoreKeyUsage(id: stage.new.id, role: .missing, rows: 3))
        await back.close()
        let both = try await stage.directory.open { $0.readOnlyKeys = [stage.new] }
        #expect(try await finish(both, limit: 10).resealed == 3)
    }

    @Test("a save during a key rotation is not overwritten")
    func race() async throws {
        let stage = try await Stage(40)
        let store = try await stage.open()
        let other = try await stage.open()
        async let saved: Void = withThrowingTaskGroup { group in
            for session in stage.sessions {
                group.addTask { _ = try await other.save(session.next("refreshed"), after: session) }
            }
            try await group.waitForAll()
        }
        var position: ResealPosition?
        repeat { position = try await store.resealRows(after: position, limit: 3).position } while position != nil
        try await saved
        for session in stage.sessions {
            let kept = try #require(try await store.session(session.id))
            #expect(kept.generation == session.generation + 1)
            #expect(kept.payload.reveal() == "refreshed")
        }
    }

    @Test("a key rotation does not overwrite a row that changed after it was read")
    func comparison() async throws {
        let stage = try await Stage(1)
        let store = try await stage.open()
        let found = try await store.database.read { connection in
            try connection.first(.listSessionRows, .integer(-1), .integer(1)) { StoredRow($0, of: .session) }
        }
        let row = try #require(found)
        _ = try await store.save(stage.sessions[0].next("refreshed"), after: stage.sessions[0])
        let changed = try await store.database.write { connection in
            try connection.run(.resealSession, .integer(row.key), .bytes(row.row.record), .bytes([0]))
        }
        #expect(changed == 0)
        #expect(try await store.session(stage.sessions[0].id)?.payload.reveal() == "refreshed")
    }

    @Test("a session in the spool counts as a row of its key")
    func spool() async throws {
        let stage = try await Stage(1)
        let old = try await stage.directory.open()
        try await old.spool(stage.sessions[0].next())
        await old.close()
        let store = try await stage.open()
        _ = try await finish(store, limit: 10)
        #expect(try await store.keyUsage().last == StoreKeyUsage(id: stage.directory.key.id, role: .readOnly, rows: 1))
    }

    @Test("one intact copy of the lookup key is enough to open the records of a store")
    func damagedLookupKey() throws {
        let (old, new) = (try StoreDirectory.key(), try StoreDirectory.key())
        let keys = StoreKeys(active: new, readOnly: [old])
        var header = try StoreHeader.make(sealedUnder: StoreKeys(active: old))
        header.add(sealedLookupKey: try #require(try header.missingLookupKey(for: keys)))
        func damaging(_ indices: Int...) throws -> StoreHeader {
            var copies = header.sealedLookupKeys
            for index in indices { copies[index][100] ^= 1 }
            return try #require(
                StoreHeader(storeID: header.storeID, slotSize: header.slotSize, sealedLookupKeys: copies)
            )
        }
        let id = try sampleSession().id
        let hash = try header.records(openedWith: keys).hash(of: id)
        for index in 0..<2 { #expect(try damaging(index).records(openedWith: keys).hash(of: id) == hash) }
        let error = #expect(throws: IdentityError.self) { _ = try damaging(0, 1).records(openedWith: keys) }
        #expect(error?.code == .storeCorrupt)
    }
}
