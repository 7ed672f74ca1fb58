internal import FoundationEssentials
internal import IdentityKit
internal import Testing

extension StoreConformance {
    static let filterCases: [Case] = [
        Case("every combination of a filter's conditions lists exactly the matching sessions") { store in
            var sessions: [StoredSession] = []
            for provider in ["shopify", "bolt"] {
                for tenant in ["", "a"] {
                    for subject in ["1", "2"] {
                        for name in ["sid", nil] {
                            for isInDoubt in [false, true] {
                                sessions.append(
                                    try StoreSample.session(
                                        provider: provider,
                                        tenant: tenant,
                                        subject: subject,
                                        providerSessionID: name,
                                        createdAt: StoreSample.moment - Double(sessions.count),
                                        isInDoubt: isInDoubt
                                    )
                                )
                            }
                        }
                    }
                }
            }
            try await StoreSample.insert(sessions, into: store)
            let oldestFirst = sessions.reversed()
            for filter in filters {
                let listed = try await store.sessions(matching: filter)
                #expect(listed.map(\.id) == oldestFirst.filter(filter.matches).map(\.id), "\(filter)")
            }
        },
        Case("buyers, tenants and providers that only look alike are different") { store in
            for text in StoreSample.lookalikes {
                try await store.insert(StoreSample.session(provider: text, tenant: text, issuer: text, subject: text))
            }
            for text in StoreSample.lookalikes {
                for filter in [
                    SessionFilter(buyer: (text, text)), SessionFilter(tenant: text), SessionFilter(provider: text),
                ] {
                    let listed = try await store.sessions(matching: filter)
                    #expect(listed.count == 1)
                    #expect(listed.allSatisfy { $0.subject.isIdentical(to: text) })
                }
            }
        },
        Case("issuer and subject are compared separately") { store in
            try await store.insert(StoreSample.session(issuer: "ab", subject: "c"))
            try await store.insert(StoreSample.session(issuer: "a", subject: "bc"))
            try await store.insert(StoreSample.session(issuer: "", subject: "abc"))
            #expect(try await store.sessions(matching: SessionFilter(buyer: ("a", "bc"))).map(\.issuer) == ["a"])
            #expect(try await store.sessions(matching: SessionFilter(buyer: ("abc", ""))).isEmpty)
        },
        Case("an empty text in a filter is a condition like any other") { store in
            try await store.insert(StoreSample.session(provider: "", tenant: "", issuer: "", subject: ""))
            try await store.insert(StoreSample.session(tenant: "a"))
            for filter in [
                SessionFilter(provider: ""), SessionFilter(tenant: ""), SessionFilter(buyer: ("", "")),
            ] {
                #expect(try await store.sessions(matching: filter).map(\.provider) == [""])
            }
            #expect(try await store.sessions(matching: SessionFilter()).count == 2)
        },
        Case("the list of sessions in doubt changes with each save") { store in
            let session = try await StoreSample.inserted(in: store)
            try await store.insert(StoreSample.session())
            let next = try await session.saved(Secret("claimed"), in: store) { $0.isInDoubt = true }
            #expect(try await store.sessions(matching: SessionFilter(isInDoubt: true)).map(\.id) == [session.id])
            #expect(try await store.sessions(matching: SessionFilter(isInDoubt: false)).count == 1)
            let settled = try await next.saved(Secret("refreshed"), in: store) { $0.isInDoubt = false }
            #expect(try await store.sessions(matching: SessionFilter(isInDoubt: true)).isEmpty)
            #expect(try await store.sessions(matching: SessionFilter(isInDoubt: false)).count == 2)
        },
        Case("a filter may contain any text, which is never used as a pattern") { store in
            try await store.insert(StoreSample.session(provider: "a%b", tenant: "a_b"))
            try await store.insert(StoreSample.session(provider: "axb", tenant: "axb"))
            for text in StoreSample.awkwardTexts.dropFirst() + ["a%", "%", "_", "a__b", "A%B"] {
                for filter in [
                    SessionFilter(provider: text), SessionFilter(tenant: text), SessionFilter(buyer: (text, text)),
                    SessionFilter(providerSessionID: text),
                ] {
                    #expect(try await store.sessions(matching: filter).isEmpty)
                }
            }
            #expect(try await store.sessions(matching: SessionFilter(provider: "a%b")).count == 1)
            #expect(try await store.sessions(matching: SessionFilter(tenant: "a_b")).count == 1)
        },
    ]

    /// The filters with and without each of five conditions, in all combinations, and five filters with other values.
    private static var filters: [SessionFilter] {
        (0..<32).map { bits in
            SessionFilter(
                provider: bits & 1 != 0 ? "bolt" : nil,
                tenant: bits & 2 != 0 ? "a" : nil,
                buyer: bits & 4 != 0 ? ("https://id.example", "2") : nil,
                providerSessionID: bits & 8 != 0 ? "sid" : nil,
                isInDoubt: bits & 16 != 0 ? true : nil
            )
        } + [
            SessionFilter(tenant: ""), SessionFilter(isInDoubt: false), SessionFilter(provider: "other"),
            SessionFilter(buyer: ("https://other.example", "1")),
            SessionFilter(tenant: "", buyer: ("https://id.example", "1"), isInDoubt: false),
        ]
    }
}
