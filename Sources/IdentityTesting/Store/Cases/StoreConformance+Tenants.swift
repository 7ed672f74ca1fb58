internal import FoundationEssentials
internal import IdentityKit
internal import Testing

extension StoreConformance {
    static let tenantCases: [Case] = [
        Case("one buyer at two tenants has separate sessions") { store in
            let (one, other) = try await twins(in: store)
            for session in [one, other] {
                let filter = SessionFilter(tenant: session.tenant, buyer: (session.issuer, session.subject))
                let listed = try await store.sessions(matching: filter)
                #expect(listed.count == 1)
                #expect(StoreSample.areSame(listed.first, session))
            }
            let everywhere = try await store.sessions(matching: SessionFilter(buyer: (one.issuer, one.subject)))
            #expect(everywhere.count == 2)
        },
        Case("sessions of two tenants with the same provider session id are separate") { store in
            let (one, other) = try await twins(in: store)
            for session in [one, other] {
                let filter = SessionFilter(tenant: session.tenant, providerSessionID: "sid")
                #expect(try await store.sessions(matching: filter).map(\.id) == [session.id])
            }
        },
        Case("the end of a session at one tenant does not end the buyer's session at another") { store in
            let (one, other) = try await twins(in: store)
            #expect(try await store.remove(one.id) != nil)
            #expect(StoreSample.areSame(try await store.session(other.id), other))
            #expect(try await store.attachment("cart", of: other.id)?.payload.reveal() == other.tenant)
        },
        Case("a save at one tenant does not change the buyer's session at another") { store in
            let (one, other) = try await twins(in: store)
            #expect(try await store.replace(one.successor(Secret("next")), expecting: one.generation))
            #expect(StoreSample.areSame(try await store.session(other.id), other))
        },
        Case("attachments with the same name at two tenants are separate") { store in
            let (one, other) = try await twins(in: store)
            let revision = try await store.attachment("cart", of: one.id)?.revision
            #expect(try await store.setAttachment("cart", to: nil, of: one.id, expecting: revision))
            #expect(try await store.attachment("cart", of: other.id)?.payload.reveal() == other.tenant)
        },
        Case("a tenant and a subject are compared separately") { store in
            try await store.insert(StoreSample.session(tenant: "ab", subject: "c"))
            try await store.insert(StoreSample.session(tenant: "a", subject: "bc"))
            let issuer = "https://id.example"
            let listed = try await store.sessions(matching: SessionFilter(tenant: "a", buyer: (issuer, "bc")))
            #expect(listed.map(\.tenant) == ["a"])
            #expect(try await store.sessions(matching: SessionFilter(tenant: "a", buyer: (issuer, "c"))).isEmpty)
        },
        Case("a session that moves to another tenant is found only there") { store in
            let session = try await StoreSample.inserted(in: store)
            let moved = try await session.saved(Secret("moved"), in: store) { $0.tenant = "another" }
            #expect(try await store.sessions(matching: SessionFilter(tenant: session.tenant)).isEmpty)
            #expect(try await store.sessions(matching: SessionFilter(tenant: "another")).map(\.id) == [session.id])
            #expect(StoreSample.areSame(try await store.remove(session.id)?.session, moved))
        },
    ]

    /// Inserts two sessions of the same buyer in different tenants, each with an attachment.
    private static func twins(in store: any SessionStore) async throws -> (StoredSession, StoredSession) {
        var made: [StoredSession] = []
        for tenant in ["shop-1", "shop-2"] {
            let session = try await StoreSample.session(tenant: tenant, providerSessionID: "sid").inserted(in: store)
            #expect(try await store.setAttachment("cart", to: Secret(tenant), of: session.id, expecting: nil))
            made.append(session)
        }
        return (made[0], made[1])
    }

    static let tenantLimitCases: [Case] = [
        Case(
            "a tenant with the maximum number of sessions gets no more, but other tenants do",
            needing: [.sessionLimit]
        ) { place in
            let store = try await place.open { $0.maximumSessionsPerTenant = 2 }
            let sessions = try (0..<2).map { _ in try StoreSample.session(tenant: "loud") }
            for session in sessions { try await store.insert(session) }
            let late = try StoreSample.session(tenant: "loud")
            let error = await expectTyped(.storeFull) { try await store.insert(late) }
            #expect(error?.kind == .retryLater)
            #expect(try await store.session(late.id) == nil)
            for session in sessions { #expect(StoreSample.areSame(try await store.session(session.id), session)) }
            for tenant in ["", "quiet", "LOUD"] { try await store.insert(StoreSample.session(tenant: tenant)) }
        },
        Case("existing sessions of a tenant at its limit can still be saved", needing: [.sessionLimit]) { place in
            let store = try await place.open { $0.maximumSessionsPerTenant = 1 }
            let session = try await StoreSample.inserted(in: store)
            try await StoreSample.replace(session, times: 3, in: store)
            #expect(try await store.session(session.id)?.generation == session.generation + 3)
        },
        Case("after the removal of a session its tenant can get another one", needing: [.sessionLimit]) { place in
            let store = try await place.open { $0.maximumSessionsPerTenant = 1 }
            for _ in 0..<3 {
                let session = try await StoreSample.inserted(in: store)
                await expectTyped(.storeFull) { try await store.insert(StoreSample.session()) }
                #expect(try await store.remove(session.id) != nil)
            }
            #expect(try await store.sessions(matching: SessionFilter()).isEmpty)
        },
        Case("a tenant at its limit can get a session that replaces another one", needing: [.sessionLimit]) { place in
            let store = try await place.open { $0.maximumSessionsPerTenant = 2 }
            guard let replacing = store as? any SessionReplacing else {
                try Test.doesNotApply("only stores of IdentityKit permit a replacing session above the limit")
            }
            let old = try await StoreSample.inserted(in: store)
            _ = try await StoreSample.inserted(in: store)
            for _ in 0..<2 { try await replacing.insertReplacement(StoreSample.session()) }
            #expect(try await store.remove(old.id) != nil)
            await expectTyped(.storeFull) { try await store.insert(StoreSample.session()) }
        },
        Case("after a sweep, a tenant at its limit can get new sessions", needing: [.sessionLimit]) { place in
            let store = try await place.open { $0.maximumSessionsPerTenant = 2 }
            let sweeping = try Test.offered((any ExpirySweeping).self, by: store)
            for age in [-1.0, 1] {
                try await store.insert(StoreSample.session(retainedUntil: StoreSample.pastMoment + age))
            }
            await expectTyped(.storeFull) { try await store.insert(StoreSample.session()) }
            #expect(try await sweeping.sweep(expiredBefore: StoreSample.pastMoment) == 1)
            try await store.insert(StoreSample.session())
            await expectTyped(.storeFull) { try await store.insert(StoreSample.session()) }
        },
        Case("tenants that only look alike have their own limits for sessions", needing: [.sessionLimit]) { place in
            let store = try await place.open { $0.maximumSessionsPerTenant = 1 }
            for tenant in StoreSample.lookalikes { try await store.insert(StoreSample.session(tenant: tenant)) }
            for tenant in StoreSample.lookalikes {
                await expectTyped(.storeFull) { try await store.insert(StoreSample.session(tenant: tenant)) }
            }
        },
        Case("a session that moves to another tenant counts only there", needing: [.sessionLimit]) { place in
            let store = try await place.open { $0.maximumSessionsPerTenant = 1 }
            let session = try await StoreSample.inserted(in: store)
            let moved = try await session.saved(Secret("moved"), in: store) { $0.tenant = "another" }
            try await store.insert(StoreSample.session())
            await expectTyped(.storeFull) { try await store.insert(StoreSample.session(tenant: "another")) }
        },
    ]
}
