internal import FoundationEssentials
internal import IdentityKit
internal import Testing

extension StoreConformance {
    static let tenantCases: [Case] = [
        Case("one buyer at two tenants has sessions that know nothing of each other") { store in
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
        Case("one name of a provider's session at two tenants means two sessions") { store in
            let (one, other) = try await twins(in: store)
            for session in [one, other] {
                let filter = SessionFilter(tenant: session.tenant, providerSessionID: "sid")
                #expect(try await store.sessions(matching: filter).map(\.id) == [session.id])
            }
        },
        Case("the end of a session at one tenant leaves the buyer's session at another") { store in
            let (one, other) = try await twins(in: store)
            #expect(try await store.remove(one.id) != nil)
            #expect(StoreSample.areSame(try await store.session(other.id), other))
            #expect(try await store.attachment("cart", of: other.id)?.payload.reveal() == other.tenant)
        },
        Case("a save at one tenant leaves the buyer's session at another") { store in
            let (one, other) = try await twins(in: store)
            #expect(try await store.replace(one.successor(Secret("next")), expecting: one.generation))
            #expect(StoreSample.areSame(try await store.session(other.id), other))
        },
        Case("attachments of one name at two tenants are two") { store in
            let (one, other) = try await twins(in: store)
            let revision = try await store.attachment("cart", of: one.id)?.revision
            #expect(try await store.setAttachment("cart", to: nil, of: one.id, expecting: revision))
            #expect(try await store.attachment("cart", of: other.id)?.payload.reveal() == other.tenant)
        },
        Case("a tenant and a subject do not run into each other") { store in
            try await store.insert(StoreSample.session(tenant: "ab", subject: "c"))
            try await store.insert(StoreSample.session(tenant: "a", subject: "bc"))
            let issuer = "https://id.example"
            let listed = try await store.sessions(matching: SessionFilter(tenant: "a", buyer: (issuer, "bc")))
            #expect(listed.map(\.tenant) == ["a"])
            #expect(try await store.sessions(matching: SessionFilter(tenant: "a", buyer: (issuer, "c"))).isEmpty)
        },
        Case("a session that moves to another tenant is found there alone") { store in
            let session = try await StoreSample.inserted(in: store)
            var moved = session.successor(Secret("moved"))
            moved.tenant = "another"
            #expect(try await store.replace(moved, expecting: session.generation))
            #expect(try await store.sessions(matching: SessionFilter(tenant: session.tenant)).isEmpty)
            #expect(try await store.sessions(matching: SessionFilter(tenant: "another")).map(\.id) == [session.id])
            #expect(StoreSample.areSame(try await store.remove(session.id)?.session, moved))
        },
    ]

    /// Two sessions that differ in their tenants only, each with something attached.
    private static func twins(in store: any SessionStore) async throws -> (StoredSession, StoredSession) {
        var made: [StoredSession] = []
        for tenant in ["shop-1", "shop-2"] {
            let session = try StoreSample.session(tenant: tenant, providerSessionID: "sid")
            try await store.insert(session)
            #expect(try await store.setAttachment("cart", to: Secret(tenant), of: session.id, expecting: nil))
            made.append(session)
        }
        return (made[0], made[1])
    }
}
