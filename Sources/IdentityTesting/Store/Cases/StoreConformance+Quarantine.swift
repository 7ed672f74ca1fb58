internal import FoundationEssentials
internal import IdentityKit
internal import Testing

extension StoreConformance {
    static let quarantineCases: [Case] = [
        Case("a damaged session is an error, never unknown", needing: [.damage]) { place in
            let store = try await place.open()
            let session = try await StoreSample.inserted(in: store)
            try await place.damage(session.id)
            await expectTyped(.storeCorrupt) { _ = try await store.session(session.id) }
            await expectTyped { try await store.insert(session) }
        },
        Case("the other sessions are served as if nothing were damaged", needing: [.damage]) { place in
            let store = try await place.open()
            let session = try await StoreSample.inserted(in: store)
            let other = try await StoreSample.inserted(in: store)
            try await place.damage(session.id)
            #expect(StoreSample.areSame(try await store.session(other.id), other))
            #expect(try await store.replace(other.successor(Secret("next")), expecting: other.generation))
        },
        Case("a list of a buyer's sessions does not pass for whole when one is damaged", needing: [.damage]) { place in
            let store = try await place.open()
            let session = try await StoreSample.inserted(in: store)
            try await place.damage(session.id)
            await expectTyped(.storeCorrupt) {
                _ = try await store.sessions(matching: SessionFilter(buyer: (session.issuer, session.subject)))
            }
        },
        Case("a store without damage has nothing to set aside") { store in
            let quarantining = try offered((any RowQuarantining).self, by: store)
            let session = try await StoreSample.inserted(in: store)
            try await store.insert(StoreSample.attempt("key"))
            #expect(try await store.setAttachment("cart", to: Secret("x"), of: session.id, expecting: nil))
            #expect(try await quarantining.quarantineDamagedRows() == 0)
            #expect(StoreSample.areSame(try await store.session(session.id), session))
            #expect(try await store.attachment("cart", of: session.id) != nil)
            #expect(try await store.takeLoginAttempt("key") != nil)
        },
        Case("a damaged row is set aside once, and its session is still no unknown one", needing: [.damage]) { place in
            let store = try await place.open()
            let quarantining = try offered((any RowQuarantining).self, by: store)
            let session = try await StoreSample.inserted(in: store)
            let other = try await StoreSample.inserted(in: store)
            try await place.damage(session.id)
            #expect(try await quarantining.quarantineDamagedRows() == 1)
            #expect(try await quarantining.quarantineDamagedRows() == 0)
            await expectTyped(.storeCorrupt) { _ = try await store.session(session.id) }
            #expect(StoreSample.areSame(try await store.session(other.id), other))
        },
        Case("a health check counts what is set aside, and calls the rest sound", needing: [.damage]) { place in
            let store = try await place.open()
            let quarantining = try offered((any RowQuarantining).self, by: store)
            let checking = try offered((any StoreHealthChecking).self, by: store)
            let session = try await StoreSample.inserted(in: store)
            _ = try await StoreSample.inserted(in: store)
            try await place.damage(session.id)
            _ = try await quarantining.quarantineDamagedRows()
            let health = try await checking.checkHealth()
            #expect(health.isSound)
            #expect(health.quarantinedRows == 1)
            #expect(health.sessions == 1)
        },
        Case("what is set aside outlives a restart and a sweep of today", needing: [.damage, .reopening]) { place in
            let store = try await place.open()
            let quarantining = try offered((any RowQuarantining).self, by: store)
            let session = try await StoreSample.inserted(in: store)
            try await place.damage(session.id)
            #expect(try await quarantining.quarantineDamagedRows() == 1)
            if let sweeping = store as? any ExpirySweeping { _ = try await sweeping.sweep(expiredBefore: Date()) }
            let again = try await place.open()
            await expectTyped(.storeCorrupt) { _ = try await again.session(session.id) }
        },
    ]
}
