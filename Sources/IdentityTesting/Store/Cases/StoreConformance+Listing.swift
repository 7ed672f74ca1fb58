internal import FoundationEssentials
internal import IdentityKit
internal import Testing

extension StoreConformance {
    static let listingCases: [Case] = [
        Case("a filter without conditions lists every session, oldest first") { store in
            // With 16 sessions, an order that ignores the creation dates is practically never correct by chance.
            let ages = (0..<16).map { Double(($0 * 7) % 16) }
            var sessions: [StoredSession] = []
            for age in ages {
                let session = try await StoreSample.session(createdAt: StoreSample.moment - age).inserted(in: store)
                sessions.append(session)
            }
            let listed = try await store.sessions(matching: SessionFilter()).map(\.id)
            #expect(listed == sessions.sorted { $0.createdAt < $1.createdAt }.map(\.id))
        },
        Case("a list contains complete sessions") { store in
            let session = try await StoreSample.session(
                tenant: "t",
                providerSessionID: "sid",
                isInDoubt: true,
                payload: Secret("tokens of one")
            ).inserted(in: store)
            #expect(StoreSample.areSame(try await store.sessions(matching: SessionFilter()).first, session))
        },
        Case("a list contains the newest generation, and no removed session") { store in
            let kept = try await StoreSample.inserted(in: store)
            let gone = try await StoreSample.inserted(in: store)
            let newer = try await kept.saved(Secret("newer"), in: store)
            _ = try await store.remove(gone.id)
            let listed = try await store.sessions(matching: SessionFilter(buyer: (kept.issuer, kept.subject)))
            #expect(listed.count == 1)
            #expect(StoreSample.areSame(listed.first, newer))
        },
        Case("a list of many rows is complete and in order") { store in
            // The ages are shuffled, so that a list in the order of insertion fails the test.
            let ages = (0..<300).map { ($0 * 173) % 300 }
            let sessions = try ages.map { try StoreSample.session(createdAt: StoreSample.moment + Double($0)) }
            try await StoreSample.insert(sessions, into: store)
            let all = try await store.sessions(matching: SessionFilter())
            #expect(all.map(\.createdAt) == ages.sorted().map { StoreSample.moment + Double($0) })
            #expect(Set(all.map(\.id)) == Set(sessions.map(\.id)))
        },
        Case("a filter that matches few of many sessions finds all of them") { store in
            let sessions = try (0..<300).map { number in
                try StoreSample.session(
                    provider: number % 100 == 7 ? "bolt" : "shopify",
                    tenant: number % 100 == 9 ? "rare" : "",
                    isInDoubt: number % 100 == 11
                )
            }
            try await StoreSample.insert(sessions, into: store)
            for filter in [
                SessionFilter(provider: "bolt"), SessionFilter(tenant: "rare"), SessionFilter(isInDoubt: true),
            ] {
                #expect(try await store.sessions(matching: filter).count == 3)
            }
        },
        Case("a buyer may have several sessions, and a long list of them is complete") { store in
            let sessions = try (0..<260).map { number in
                try StoreSample.session(
                    subject: number % 2 == 0 ? "even" : "odd",
                    createdAt: StoreSample.moment + Double(number)
                )
            }
            try await StoreSample.insert(sessions, into: store)
            let odd = try await store.sessions(matching: SessionFilter(buyer: ("https://id.example", "odd")))
            #expect(odd.count == 130)
            #expect(zip(odd, odd.dropFirst()).allSatisfy { $0.createdAt < $1.createdAt })
        },
        Case("a list contains each of many sessions of the same age once") { store in
            let sessions = try (0..<260).map { _ in try StoreSample.session() }
            try await StoreSample.insert(sessions, into: store)
            let listed = try await store.sessions(matching: SessionFilter()).map(\.id)
            #expect(listed.count == sessions.count)
            #expect(Set(listed) == Set(sessions.map(\.id)))
        },
        Case("sessions with any creation time are listed oldest first") { store in
            let dates = [Date.distantFuture, StoreSample.moment, Date(timeIntervalSince1970: 0), Date.distantPast]
            for date in dates { try await store.insert(StoreSample.session(createdAt: date)) }
            #expect(try await store.sessions(matching: SessionFilter()).map(\.createdAt) == dates.reversed())
        },
        Case("a list during changes contains each session that is not removed, exactly once") { store in
            let lasting = try (0..<20).map { _ in try StoreSample.session() }
            try await StoreSample.insert(lasting, into: store)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for _ in 0..<15 {
                        let passing = try await StoreSample.inserted(in: store)
                        _ = try await store.remove(passing.id)
                    }
                }
                group.addTask { try await StoreSample.replace(lasting[0], times: 15, in: store) }
                group.addTask {
                    for _ in 0..<8 {
                        let ids = try await store.sessions(matching: SessionFilter()).map(\.id)
                        #expect(Set(ids).count == ids.count)
                        #expect(Set(lasting.map(\.id)).isSubset(of: ids))
                    }
                }
                try await group.waitForAll()
            }
        },
    ]

    static let providerSessionCases: [Case] = [
        Case("sessions are found by the provider's session id, which is compared byte by byte") { store in
            for name in StoreSample.lookalikes { try await store.insert(StoreSample.session(providerSessionID: name)) }
            try await store.insert(StoreSample.session())
            for name in StoreSample.lookalikes {
                let listed = try await store.sessions(matching: SessionFilter(providerSessionID: name))
                #expect(listed.count == 1)
                #expect(listed.allSatisfy { $0.providerSessionID?.isIdentical(to: name) == true })
            }
            #expect(try await store.sessions(matching: SessionFilter(providerSessionID: "")).isEmpty)
        },
        Case("a session whose provider session id changes at a refresh is found only by the new id") { store in
            let named = try StoreSample.session(providerSessionID: "one")
            let nameless = try StoreSample.session()
            for session in [named, nameless] {
                try await store.insert(session)
                let next = try await session.saved(Secret("refreshed"), in: store) { $0.providerSessionID = "two" }
                #expect(StoreSample.areSame(try await store.session(session.id), next))
            }
            #expect(try await store.sessions(matching: SessionFilter(providerSessionID: "one")).isEmpty)
            #expect(try await store.sessions(matching: SessionFilter(providerSessionID: "two")).count == 2)
            _ = try await store.remove(named.id)
            #expect(
                try await store.sessions(matching: SessionFilter(providerSessionID: "two")).map(\.id) == [nameless.id]
            )
        },
        Case("a session whose provider session id is removed is no longer found by the old id") { store in
            let named = try await StoreSample.session(providerSessionID: "one").inserted(in: store)
            let next = try await named.saved(Secret("refreshed"), in: store) { $0.providerSessionID = nil }
            #expect(try await store.sessions(matching: SessionFilter(providerSessionID: "one")).isEmpty)
            #expect(try await store.session(named.id)?.providerSessionID == nil)
        },
    ]
}
