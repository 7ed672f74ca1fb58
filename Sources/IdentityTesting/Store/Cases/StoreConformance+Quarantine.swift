internal import FoundationEssentials
internal import IdentityKit
internal import IdentityStoreKit
internal import Testing

extension StoreConformance {
    static let quarantineCases: [Case] = [
        Case("a damaged session is reported as damaged, never as unknown", needing: [.damage]) { store, place in
            let session = try await place.damagedSession(in: store)
            await expectTyped(.storeCorrupt) { _ = try await store.session(session.id) }
            await expectTyped { try await store.insert(session) }
        },
        Case("a damaged session does not affect the others", needing: [.damage]) { store, place in
            let other = try await StoreSample.inserted(in: store)
            let session = try await place.damagedSession(in: store)
            #expect(StoreSample.areSame(try await store.session(other.id), other))
            #expect(try await store.replace(other.successor(Secret("next")), expecting: other.generation))
        },
        Case("a list of a buyer's sessions fails if a session is damaged", needing: [.damage]) { store, place in
            let session = try await place.damagedSession(in: store)
            await expectTyped(.storeCorrupt) {
                _ = try await store.sessions(matching: SessionFilter(buyer: (session.issuer, session.subject)))
            }
        },
        Case("a damaged attachment does not keep a buyer from logging out", needing: [.damage]) { store, place in
            let session = try await StoreSample.inserted(in: store)
            for name in ["cart", "damaged"] {
                #expect(try await store.setAttachment(name, to: Secret(name), of: session.id, expecting: nil))
            }
            try await place.damage(.attachment("damaged", of: session.id))
            await expectTyped(.storeCorrupt) { _ = try await store.attachment("damaged", of: session.id) }
            let removed = try #require(try await store.remove(session.id))
            #expect(StoreSample.areSame(removed.session, session))
            #expect(removed.attachments.mapValues { $0.reveal() } == ["cart": "cart"])
            #expect(try await store.session(session.id) == nil)
            let health = try await (store as? any StoreHealthChecking)?.checkHealth()
            if let health { #expect(health.isSound && health.sessions == 0 && health.attachments == 0) }
            guard store is any RowQuarantining else { return }
            // The removal has moved the attachment's row to quarantine, so the store still reports the attachment as damaged.
            await expectTyped(.storeCorrupt) { _ = try await store.attachment("damaged", of: session.id) }
            if let health { #expect(health.quarantinedRows == 1) }
        },
        Case(
            "an attachment whose row was moved to another session is not returned with that session",
            needing: [.damage]
        ) { store, place in
            let owner = try await StoreSample.inserted(in: store)
            let other = try await StoreSample.inserted(in: store)
            #expect(try await store.setAttachment("cart", to: Secret("owner's"), of: owner.id, expecting: nil))
            #expect(try await store.setAttachment("note", to: Secret("other's"), of: other.id, expecting: nil))
            try await place.damage(.attachmentOwner("cart", of: owner.id, to: other.id))
            let removed = try #require(try await store.remove(other.id))
            #expect(removed.attachments.mapValues { $0.reveal() } == ["note": "other's"])
            #expect(try await store.remove(owner.id)?.attachments.isEmpty == true)
            guard store is any RowQuarantining, let checking = store as? any StoreHealthChecking else { return }
            #expect(try await checking.checkHealth().quarantinedRows == 1)
        },
        Case("a store without damage has nothing to quarantine") { store in
            let quarantining = try Test.offered((any RowQuarantining).self, by: store)
            let session = try await StoreSample.inserted(in: store)
            try await store.insert(StoreSample.attempt("key"))
            #expect(try await store.setAttachment("cart", to: Secret("x"), of: session.id, expecting: nil))
            #expect(try await quarantining.quarantineDamagedRows() == 0)
            #expect(StoreSample.areSame(try await store.session(session.id), session))
            #expect(try await store.attachment("cart", of: session.id) != nil)
            #expect(try await store.takeLoginAttempt("key") != nil)
        },
        Case(
            "a damaged row is moved to quarantine once, and its session is still reported as damaged",
            needing: [.damage]
        ) { store, place in
            let quarantining = try Test.offered((any RowQuarantining).self, by: store)
            let other = try await StoreSample.inserted(in: store)
            let session = try await place.damagedSession(in: store)
            #expect(try await quarantining.quarantineDamagedRows() == 1)
            #expect(try await quarantining.quarantineDamagedRows() == 0)
            await expectTyped(.storeCorrupt) { _ = try await store.session(session.id) }
            #expect(StoreSample.areSame(try await store.session(other.id), other))
        },
        Case("inserting a session whose id is in quarantine is refused", needing: [.damage]) { store, place in
            let quarantining = try Test.offered((any RowQuarantining).self, by: store)
            let session = try await place.damagedSession(in: store)
            #expect(try await quarantining.quarantineDamagedRows() == 1)
            let error = await expectTyped { try await store.insert(session) }
            #expect(error?.kind == .rejected)
            await expectTyped(.storeCorrupt) { _ = try await store.session(session.id) }
        },
        Case("a list of the sessions in doubt leaves out a session in quarantine, without an error", needing: [.damage])
        { store, place in
            let quarantining = try Test.offered((any RowQuarantining).self, by: store)
            let listing = try Test.offered((any PartialSessionListing).self, by: store)
            let session = try await place.damagedSession(in: store)
            #expect(try await quarantining.quarantineDamagedRows() == 1)
            // The session manager uses `isInDoubt` to find the sessions whose refresh must be repaired. A session in quarantine cannot be
            // repaired, so it must not make this list fail.
            for isInDoubt in [true, false] {
                let found = try await listing.readableSessions(matching: SessionFilter(isInDoubt: isInDoubt))
                #expect(found.sessions.isEmpty && found.damage == nil)
            }
        },
        Case("a health check counts rows in quarantine and reports the others as sound", needing: [.damage]) {
            store,
            place in
            let quarantining = try Test.offered((any RowQuarantining).self, by: store)
            let checking = try Test.offered((any StoreHealthChecking).self, by: store)
            _ = try await StoreSample.inserted(in: store)
            let session = try await place.damagedSession(in: store)
            _ = try await quarantining.quarantineDamagedRows()
            let health = try await checking.checkHealth()
            #expect(health.isSound)
            #expect(health.quarantinedRows == 1)
            #expect(health.sessions == 1)
        },
        Case("a row in quarantine survives a restart and a sweep on the same day", needing: [.damage, .reopening]) {
            store,
            place in
            let quarantining = try Test.offered((any RowQuarantining).self, by: store)
            let session = try await StoreSample.session(retainedUntil: StoreSample.pastMoment).inserted(in: store)
            try await place.damage(.session(session.id))
            #expect(try await quarantining.quarantineDamagedRows() == 1)
            if let sweeping = store as? any ExpirySweeping { _ = try await sweeping.sweep(expiredBefore: Date()) }
            let again = try await place.open()
            await expectTyped(.storeCorrupt) { _ = try await again.session(session.id) }
        },
    ]
}
