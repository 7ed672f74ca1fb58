internal import FoundationEssentials
internal import IdentityKit
internal import IdentityStoreKit
internal import Testing

extension StoreConformance {
    static let keyCases: [Case] = [
        Case(
            "opening a store with another key fails with store_key_mismatch, and nothing is changed",
            needing: keyed
        ) { place in
            let key = try StoreSample.key()
            let session = try await StoreSample.inserted(in: try await place.open(key: key))
            let wrong = try StoreSample.key()
            let error = await expectTyped(.storeKeyMismatch) { _ = try await place.open(key: wrong) }
            #expect(error?.kind == .configuration)
            let again = try await place.open(key: key)
            #expect(StoreSample.areSame(try await again.session(session.id), session))
        },
        Case(
            "a row that is sealed under a read-only key can be read, and a save seals it under the active key",
            needing: keyed
        ) { place in
            let (old, new) = (try StoreSample.key(), try StoreSample.key())
            let session = try await StoreSample.inserted(in: try await place.open(key: old))
            let store = try await place.open(key: new, readOnly: old)
            #expect(StoreSample.areSame(try await store.session(session.id), session))
            let next = try await session.saved(Secret("next"), in: store)
            let later = try await place.open(key: new)
            #expect(StoreSample.areSame(try await later.session(session.id), next))
        },
        Case(
            "reading a row whose key is missing fails with store_key_mismatch, and succeeds again with the key",
            needing: keyed
        ) { place in
            let (old, new) = (try StoreSample.key(), try StoreSample.key())
            let session = try await StoreSample.inserted(in: try await place.open(key: old))
            // After the store was opened once with both keys, it can be opened with the new key alone.
            _ = try await place.open(key: new, readOnly: old)
            let store = try await place.open(key: new)
            await expectTyped(.storeKeyMismatch) { _ = try await store.session(session.id) }
            await expectTyped(.storeKeyMismatch) { _ = try await store.remove(session.id) }
            if let quarantining = store as? any RowQuarantining {
                #expect(try await quarantining.quarantineDamagedRows() == 0)
            }
            let again = try await place.open(key: new, readOnly: old)
            #expect(StoreSample.areSame(try await again.session(session.id), session))
        },
        Case("the report of keys of an empty store shows the active key with no row", needing: keyed) { place in
            let key = try StoreSample.key()
            let rotating = try Test.offered((any StoreKeyRotating).self, by: try await place.open(key: key))
            #expect(try await rotating.keyUsage().first == StoreKeyUsage(id: key.id, role: .active, rows: 0))
        },
        Case(
            "the report of keys counts the rows that are sealed under each key, also under a missing key",
            needing: keyed
        ) { place in
            let (old, new) = (try StoreSample.key(), try StoreSample.key())
            let first = try await place.open(key: old)
            _ = try Test.offered((any StoreKeyRotating).self, by: first)
            for _ in 0..<2 { _ = try await StoreSample.inserted(in: first) }
            let store = try await place.open(key: new, readOnly: old)
            _ = try await StoreSample.inserted(in: store)
            let usage = try await Test.offered((any StoreKeyRotating).self, by: store).keyUsage()
            #expect(usage.first == StoreKeyUsage(id: new.id, role: .active, rows: 1))
            #expect(usage.first { $0.id == old.id } == StoreKeyUsage(id: old.id, role: .readOnly, rows: 2))
            let without = try Test.offered((any StoreKeyRotating).self, by: try await place.open(key: new))
            let missing = try await without.keyUsage().first { $0.id == old.id }
            #expect(missing == StoreKeyUsage(id: old.id, role: .missing, rows: 2))
        },
        Case(
            "a key rotation in small steps seals every row under the new key, and the old key is no longer needed",
            needing: keyed
        ) { place in
            let rotation = try await Rotation(place, sessions: 25)
            let progress = try await rotation.rotating.resealAll(limit: 4)
            #expect(progress.resealed == rotation.rows)
            #expect(progress.postponed == 0 && progress.unreadable == 0)
            #expect(try await rotation.rotating.keyUsage().allSatisfy { $0.role == .active || $0.rows == 0 })
            try await rotation.expectWhole(try await place.open(key: rotation.new))
        },
        Case("a key rotation after a complete one changes nothing", needing: keyed) { place in
            let rotation = try await Rotation(place, sessions: 3)
            _ = try await rotation.rotating.resealAll(limit: 100)
            let again = try await rotation.rotating.resealAll(limit: 100)
            #expect(again.resealed == 0 && again.postponed == 0 && again.unreadable == 0)
        },
        Case("a key rotation that is stopped loses no row and can be started again", needing: keyed) { place in
            let rotation = try await Rotation(place, sessions: 12)
            let step = try await rotation.rotating.resealRows(after: nil, limit: 5)
            #expect(step.resealed <= 5)
            try await rotation.expectWhole(rotation.store)
            let rest = try await rotation.rotating.resealAll(limit: 5)
            // `expectWhole` has inserted the pending login again, so the row of the login is already encrypted with the new key.
            #expect(step.resealed + rest.resealed == rotation.rows - 1)
            try await rotation.expectWhole(rotation.store)
        },
        Case("a key rotation can be reverted", needing: keyed) { place in
            let rotation = try await Rotation(place, sessions: 6)
            _ = try await rotation.rotating.resealRows(after: nil, limit: 4)
            let back = try await place.open(key: rotation.old, readOnly: rotation.new)
            _ = try await Test.offered((any StoreKeyRotating).self, by: back).resealAll(limit: 3)
            try await rotation.expectWhole(try await place.open(key: rotation.old))
        },
        Case("a key rotation overwrites no concurrent save", needing: keyed) { place in
            let rotation = try await Rotation(place, sessions: 8)
            let store = rotation.store
            async let progress = rotation.rotating.resealAll(limit: 2)
            let saved = try await count(of: rotation.sessions.count) { number in
                let session = rotation.sessions[number]
                let next = session.successor(Secret("saved \(number)"))
                return try await store.replace(next, expecting: session.generation)
            }
            #expect(saved == rotation.sessions.count)
            #expect(try await progress.unreadable == 0)
            for (number, session) in rotation.sessions.enumerated() {
                let found = try await store.session(session.id)
                #expect(found?.payload.reveal() == "saved \(number)")
                #expect(found?.generation == session.generation + 1)
            }
        },
        Case("a key rotation postpones a session with a refresh in progress and seals it later", needing: keyed) {
            place in
            let rotation = try await Rotation(place, sessions: 3)
            let busy = rotation.sessions[0].successor(Secret("claimed")) { $0.isInDoubt = true }
            // `elsewhere` stands for a process that still encrypts with the old key, and that starts a refresh of the session.
            let elsewhere = try await place.open(key: rotation.old, readOnly: rotation.new)
            #expect(try await elsewhere.replace(busy, expecting: rotation.sessions[0].generation))
            let progress = try await rotation.rotating.resealAll(limit: 2)
            #expect(progress.postponed == 1)
            #expect(StoreSample.areSame(try await rotation.store.session(busy.id), busy))
            let settled = try await busy.saved(Secret("refreshed"), in: elsewhere) { $0.isInDoubt = false }
            #expect(try await rotation.rotating.resealAll(limit: 2).resealed == 1)
            let later = try await place.open(key: rotation.new)
            #expect(StoreSample.areSame(try await later.session(busy.id), settled))
        },
        Case("a key rotation counts rows that it cannot open and does not change them", needing: keyed) { place in
            let rotation = try await Rotation(place, sessions: 3)
            let store = try await place.open(key: rotation.new)
            let progress = try await Test.offered((any StoreKeyRotating).self, by: store).resealAll(limit: 10)
            #expect(progress.resealed == 0)
            #expect(progress.unreadable == rotation.rows)
            try await rotation.expectWhole(rotation.store)
        },
        Case("a damaged row does not stop a key rotation", needing: keyed + [.damage]) { place in
            let rotation = try await Rotation(place, sessions: 4)
            try await place.damage(.session(rotation.sessions[1].id))
            let progress = try await rotation.rotating.resealAll(limit: 2)
            #expect(progress.unreadable == 1)
            #expect(progress.resealed == rotation.rows - 1)
            await expectTyped(.storeCorrupt) { _ = try await rotation.store.session(rotation.sessions[1].id) }
        },
    ]

    private static let keyed: [StoreUnderTest.Ability] = [.keys, .reopening]
}

private struct Rotation: Sendable {
    let old: StoreKey
    let new: StoreKey
    let sessions: [StoredSession]
    let store: any SessionStore
    let rotating: any StoreKeyRotating
    /// Also counts one attachment and one pending login.
    var rows: Int { sessions.count + 2 }

    init(_ place: StoreUnderTest, sessions count: Int) async throws {
        let (old, new) = (try StoreSample.key(), try StoreSample.key())
        self.old = old
        self.new = new
        sessions = try (0..<count).map { try StoreSample.session(payload: Secret("\($0)")) }
        let before = try await place.open(key: old)
        try await StoreSample.insert(sessions, into: before)
        #expect(try await before.setAttachment("cart", to: Secret("cart"), of: sessions[0].id, expecting: nil))
        try await before.insert(StoreSample.attempt("key"))
        store = try await place.open(key: new, readOnly: old)
        rotating = try Test.offered((any StoreKeyRotating).self, by: store)
    }

    /// Checks that all rows can be read and are unchanged; to read the pending login, it takes the login and inserts it again.
    func expectWhole(_ store: any SessionStore) async throws {
        for session in sessions { #expect(StoreSample.areSame(try await store.session(session.id), session)) }
        #expect(try await store.attachment("cart", of: sessions[0].id)?.payload.reveal() == "cart")
        let attempt = try #require(try await store.takeLoginAttempt("key"))
        try await store.insert(attempt)
    }
}

extension StoreKeyRotating {
    fileprivate func resealAll(limit: Int) async throws -> ResealProgress {
        var total = ResealProgress()
        for _ in 0..<10_000 {
            let step = try await resealRows(after: total.position, limit: limit)
            #expect(step.resealed + step.postponed + step.unreadable <= limit)
            total += step
            if total.position == nil { return total }
        }
        Issue.record("The key rotation did not end after 10,000 steps.")
        return total
    }
}
