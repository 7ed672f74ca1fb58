internal import FoundationEssentials
internal import IdentityKit
internal import Testing

extension StoreConformance {
    static let filterCases: [Case] = [
        Case("a filter without conditions lists every session, oldest first") { store in
            var ids: [SessionID] = []
            for age in [30.0, 10, 20] {
                let session = try StoreSample.session(createdAt: StoreSample.moment - age)
                try await store.insert(session)
                ids.append(session.id)
            }
            let listed = try await store.sessions(matching: SessionFilter()).map(\.id)
            #expect(listed == [ids[0], ids[2], ids[1]])
        },
        Case("a list holds whole sessions") { store in
            let session = try StoreSample.session(tenant: "t", payload: Secret("tokens of one"))
            try await store.insert(session)
            #expect(StoreSample.areSame(try await store.sessions(matching: SessionFilter()).first, session))
        },
        Case("a list shows the newest generation, and nothing that was removed") { store in
            let kept = try StoreSample.session()
            let gone = try StoreSample.session()
            for session in [kept, gone] { try await store.insert(session) }
            let newer = kept.successor(Secret("newer"))
            #expect(try await store.replace(newer, expecting: kept.generation))
            _ = try await store.remove(gone.id)
            let listed = try await store.sessions(matching: SessionFilter(buyer: (kept.issuer, kept.subject)))
            #expect(listed.count == 1)
            #expect(StoreSample.areSame(listed.first, newer))
        },
        Case("every condition of a filter counts") { store in
            for provider in ["shopify", "bolt"] {
                for tenant in ["", "a"] {
                    for subject in ["1", "2"] {
                        let session = try StoreSample.session(provider: provider, tenant: tenant, subject: subject)
                        try await store.insert(session)
                    }
                }
            }
            let issuer = "https://id.example"
            let expected: [(SessionFilter, Int)] = [
                (SessionFilter(), 8), (SessionFilter(provider: "bolt"), 4), (SessionFilter(tenant: ""), 4),
                (SessionFilter(buyer: (issuer, "1")), 4), (SessionFilter(provider: "bolt", tenant: "a"), 2),
                (SessionFilter(provider: "bolt", tenant: "a", buyer: (issuer, "2")), 1),
                (SessionFilter(provider: "other"), 0), (SessionFilter(buyer: ("https://other.example", "1")), 0),
            ]
            for (filter, count) in expected {
                let listed = try await store.sessions(matching: filter)
                #expect(listed.count == count)
                #expect(listed.allSatisfy(filter.matches))
            }
        },
        Case("buyers, tenants and providers that only look alike are different") { store in
            // U+212A KELVIN SIGN is canonically equivalent to K; é has two spellings.
            for text in ["\u{212A}1", "K1", "k1", "K1 ", "e\u{301}", "é"] {
                try await store.insert(StoreSample.session(provider: text, tenant: text, issuer: text, subject: text))
            }
            for text in ["\u{212A}1", "K1", "e\u{301}", "é"] {
                for filter in [
                    SessionFilter(buyer: (text, text)), SessionFilter(tenant: text), SessionFilter(provider: text),
                ] {
                    let listed = try await store.sessions(matching: filter)
                    #expect(listed.count == 1)
                    #expect(listed.allSatisfy { $0.subject.isIdentical(to: text) })
                }
            }
        },
        Case("issuer and subject do not run into each other") { store in
            try await store.insert(StoreSample.session(issuer: "ab", subject: "c"))
            try await store.insert(StoreSample.session(issuer: "a", subject: "bc"))
            try await store.insert(StoreSample.session(issuer: "", subject: "abc"))
            #expect(try await store.sessions(matching: SessionFilter(buyer: ("a", "bc"))).map(\.issuer) == ["a"])
            #expect(try await store.sessions(matching: SessionFilter(buyer: ("abc", ""))).isEmpty)
        },
        Case("a buyer may have several sessions, and a long list is whole") { store in
            let sessions = try (0..<300).map { number in
                try StoreSample.session(
                    subject: number % 2 == 0 ? "even" : "odd",
                    createdAt: StoreSample.moment + Double(number)
                )
            }
            try await StoreSample.insert(sessions, into: store)
            let all = try await store.sessions(matching: SessionFilter())
            #expect(all.count == 300)
            #expect(zip(all, all.dropFirst()).allSatisfy { $0.createdAt < $1.createdAt })
            let odd = SessionFilter(buyer: ("https://id.example", "odd"))
            #expect(try await store.sessions(matching: odd).count == 150)
        },
    ]
}
