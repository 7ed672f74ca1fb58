internal import FoundationEssentials
internal import IdentityKit
internal import Testing

extension StoreConformance {
    static let usedTokenCases: [Case] = [
        Case("a used token is marked once, and is known from then on") { store in
            guard let marking = store as? any UsedTokenStore else { return }
            let isKnown = try await marking.isUsed("one")
            #expect(!isKnown)
            #expect(try await marking.markUsed("one", until: StoreSample.moment))
            #expect(try await marking.isUsed("one"))
            #expect(try await !marking.markUsed("one", until: StoreSample.moment + 1))
            #expect(try await !marking.isUsed("two"))
        },
        Case("of 64 tasks that mark one token exactly one is the first") { store in
            guard let marking = store as? any UsedTokenStore else { return }
            for round in 0..<4 {
                let count = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for _ in 0..<64 {
                        group.addTask { try await marking.markUsed("key \(round)", until: StoreSample.moment) }
                    }
                    return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
                }
                #expect(count == 1)
            }
        },
        Case("used tokens are told apart byte by byte") { store in
            guard let marking = store as? any UsedTokenStore else { return }
            for (index, key) in StoreSample.awkwardTexts.enumerated() {
                let isFirst = try await marking.markUsed(key, until: StoreSample.moment + Double(index))
                #expect(isFirst)
            }
            for key in StoreSample.awkwardTexts { #expect(try await marking.isUsed(key)) }
        },
        Case("a used token is neither a pending login nor a session") { store in
            guard let marking = store as? any UsedTokenStore else { return }
            let session = try StoreSample.session()
            try await store.insert(session)
            try await store.insert(StoreSample.attempt(session.id.rawValue))
            #expect(try await !marking.isUsed(session.id.rawValue))
            #expect(try await marking.markUsed(session.id.rawValue, until: StoreSample.moment))
            #expect(try await store.takeLoginAttempt(session.id.rawValue) != nil)
            #expect(try await store.remove(session.id) != nil)
            #expect(try await marking.isUsed(session.id.rawValue))
        },
        Case("a sweep forgets the used tokens whose time is over, and no other") { store in
            guard let marking = store as? any UsedTokenStore, let sweeping = store as? any ExpirySweeping else {
                return
            }
            let now = StoreSample.moment
            for (key, age) in [("old", -1.0), ("exact", 0), ("young", 1)] {
                #expect(try await marking.markUsed(key, until: now + age))
            }
            let count = try await sweeping.sweep(expiredBefore: now)
            #expect(count == 1)
            #expect(try await !marking.isUsed("old"))
            #expect(try await marking.isUsed("exact"))
            #expect(try await marking.isUsed("young"))
        },
    ]

    static let providerSessionCases: [Case] = [
        Case("sessions are found by the provider's name for them, byte by byte") { store in
            for name in ["e\u{301}", "é", "K1", "\u{212A}1", "k1"] {
                try await store.insert(StoreSample.session(providerSessionID: name))
            }
            try await store.insert(StoreSample.session())
            for name in ["e\u{301}", "é", "K1", "\u{212A}1"] {
                let listed = try await store.sessions(matching: SessionFilter(providerSessionID: name))
                #expect(listed.count == 1)
                #expect(listed.allSatisfy { $0.providerSessionID?.isIdentical(to: name) == true })
            }
            #expect(try await store.sessions(matching: SessionFilter(providerSessionID: "")).isEmpty)
        },
        Case("the provider's name for a session is one condition among others") { store in
            for provider in ["shopify", "bolt"] {
                for tenant in ["", "a"] {
                    for subject in ["1", "2"] {
                        let session = try StoreSample.session(
                            provider: provider,
                            tenant: tenant,
                            subject: subject,
                            providerSessionID: "sid"
                        )
                        try await store.insert(session)
                    }
                }
            }
            try await store.insert(StoreSample.session(providerSessionID: "other"))
            let buyer = (issuer: "https://id.example", subject: "1")
            let expected: [(SessionFilter, Int)] = [
                (SessionFilter(providerSessionID: "sid"), 8),
                (SessionFilter(provider: "bolt", providerSessionID: "sid"), 4),
                (SessionFilter(provider: "bolt", tenant: "a", providerSessionID: "sid"), 2),
                (SessionFilter(tenant: "a", buyer: buyer, providerSessionID: "sid"), 2),
                (SessionFilter(buyer: buyer, providerSessionID: "other"), 0),
            ]
            for (filter, count) in expected {
                let listed = try await store.sessions(matching: filter)
                #expect(listed.count == count)
                #expect(listed.allSatisfy(filter.matches))
            }
        },
        Case("a session that the provider calls otherwise after a renewal is found by its new name alone") { store in
            let named = try StoreSample.session(providerSessionID: "one")
            let nameless = try StoreSample.session()
            for session in [named, nameless] {
                try await store.insert(session)
                #expect(StoreSample.areSame(try await store.session(session.id), session))
                var next = session.successor(Secret("renewed"))
                next.providerSessionID = "two"
                #expect(try await store.replace(next, expecting: session.generation))
                #expect(StoreSample.areSame(try await store.session(session.id), next))
            }
            #expect(try await store.sessions(matching: SessionFilter(providerSessionID: "one")).isEmpty)
            #expect(try await store.sessions(matching: SessionFilter(providerSessionID: "two")).count == 2)
            _ = try await store.remove(named.id)
            #expect(
                try await store.sessions(matching: SessionFilter(providerSessionID: "two")).map(\.id) == [nameless.id]
            )
        },
    ]
}
