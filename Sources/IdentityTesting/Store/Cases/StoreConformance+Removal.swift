internal import FoundationEssentials
internal import IdentityKit
internal import Testing

extension StoreConformance {
    static let removalCases: [Case] = [
        Case("a removal returns the session and keeps the others") { store in
            let session = try await StoreSample.inserted(in: store)
            let other = try await StoreSample.inserted(in: store)
            let removed = try await store.remove(session.id)
            #expect(StoreSample.areSame(removed?.session, session))
            #expect(removed?.attachments.isEmpty == true)
            #expect(try await store.remove(session.id) == nil)
            #expect(StoreSample.areSame(try await store.session(other.id), other))
        },
        Case("a removal returns the newest save") { store in
            let session = try await StoreSample.inserted(in: store)
            let next = try await session.saved(Secret("newest"), in: store) { $0.isInDoubt = true }
            #expect(StoreSample.areSame(try await store.remove(session.id)?.session, next))
        },
        Case("a removed session cannot be restored by a late replacement") { store in
            let session = try await StoreSample.inserted(in: store)
            #expect(try await store.remove(session.id) != nil)
            #expect(try await !store.replace(session.successor(Secret("late")), expecting: session.generation))
            #expect(try await store.session(session.id) == nil)
        },
        Case("of 32 concurrent removals exactly one gets the session") { store in
            let session = try await StoreSample.inserted(in: store)
            #expect(try await count(of: 32) { _ in try await store.remove(session.id) != nil } == 1)
        },
        Case("a session that is removed during saves is not brought back by a save") { store in
            for _ in 0..<8 {
                let session = try await StoreSample.inserted(in: store)
                let removed = try await withThrowingTaskGroup(of: RemovedSession?.self) { group in
                    for number in 0..<4 {
                        group.addTask {
                            let next = session.successor(Secret("\(number)"))
                            _ = try await store.replace(next, expecting: session.generation)
                            return nil
                        }
                    }
                    group.addTask { try await store.remove(session.id) }
                    return try await group.first { $0 != nil } ?? nil
                }
                let last = try #require(removed).session
                #expect(last.generation == session.generation || last.generation == session.generation + 1)
                #expect(try await store.session(session.id) == nil)
                for generation in [session.generation, session.generation + 1] {
                    #expect(try await !store.replace(session.successor(Secret("late")), expecting: generation))
                }
            }
        },
        Case("a removal during changes of attachments leaves no attachment") { store in
            for _ in 0..<4 {
                let session = try await StoreSample.inserted(in: store)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<4 {
                        group.addTask {
                            let name = "cart \(number)"
                            _ = try await store.setAttachment(name, to: Secret("x"), of: session.id, expecting: nil)
                        }
                    }
                    group.addTask { _ = try await store.remove(session.id) }
                    try await group.waitForAll()
                }
                try await store.insert(session)
                for number in 0..<4 { #expect(try await store.attachment("cart \(number)", of: session.id) == nil) }
            }
        },
        Case("a removed session is in no list") { store in
            let session = try await StoreSample.session(providerSessionID: "sid", isInDoubt: true).inserted(in: store)
            _ = try await store.remove(session.id)
            for filter in [
                SessionFilter(), SessionFilter(provider: session.provider), SessionFilter(tenant: session.tenant),
                SessionFilter(buyer: (session.issuer, session.subject)), SessionFilter(providerSessionID: "sid"),
                SessionFilter(isInDoubt: true),
            ] {
                #expect(try await store.sessions(matching: filter).isEmpty)
            }
        },
        Case("an id that was removed can be stored again, and is a new session") { store in
            let session = try await StoreSample.inserted(in: store)
            _ = try await store.remove(session.id)
            var again = session
            again.tenant = "another"
            again.payload = Secret("again")
            try await store.insert(again)
            #expect(StoreSample.areSame(try await store.session(session.id), again))
            #expect(try await store.sessions(matching: SessionFilter(tenant: session.tenant)).isEmpty)
        },
    ]

    static let restartCases: [Case] = [
        Case("saved sessions exist when the store is opened again", needing: [.reopening]) { place in
            let store = try await place.open()
            let kept = try await StoreSample.inserted(in: store)
            let replaced = try await StoreSample.inserted(in: store)
            let gone = try await StoreSample.inserted(in: store)
            let next = try await replaced.saved(Secret("next"), in: store)
            _ = try await store.remove(gone.id)
            let again = try await place.open()
            #expect(StoreSample.areSame(try await again.session(kept.id), kept))
            #expect(StoreSample.areSame(try await again.session(replaced.id), next))
            #expect(try await again.session(gone.id) == nil)
            #expect(try await again.sessions(matching: SessionFilter()).count == 2)
        },
        Case("attachments and pending logins exist when the store is opened again", needing: [.reopening]) { place in
            let store = try await place.open()
            let session = try await StoreSample.inserted(in: store)
            #expect(try await store.setAttachment("cart", to: Secret("one"), of: session.id, expecting: nil))
            let revision = try await store.attachment("cart", of: session.id)?.revision
            try await store.insert(StoreSample.attempt("key"))
            let again = try await place.open()
            #expect(try await again.attachment("cart", of: session.id)?.payload.reveal() == "one")
            #expect(try await again.attachment("cart", of: session.id)?.revision == revision)
            #expect(try await again.takeLoginAttempt("key")?.payload.reveal() == "attempt")
            #expect(try await again.takeLoginAttempt("key") == nil)
        },
        Case("marks of used tokens exist when the store is opened again", needing: [.reopening]) { place in
            let first = try Test.offered((any UsedTokenStore).self, by: try await place.open())
            #expect(try await first.markUsed("one", until: StoreSample.moment))
            let again = try Test.offered((any UsedTokenStore).self, by: try await place.open())
            #expect(try await again.isUsed("one"))
            #expect(try await !again.markUsed("one", until: StoreSample.moment))
        },
        Case("two stores on the same data see each other's saves at once", needing: [.reopening]) { place in
            let one = try await place.open()
            let other = try await place.open()
            var session = try await StoreSample.inserted(in: one)
            for round in 0..<6 {
                let (writer, reader) = round.isMultiple(of: 2) ? (one, other) : (other, one)
                let next = try await session.saved(Secret("\(round)"), in: writer)
                #expect(StoreSample.areSame(try await reader.session(session.id), next))
                #expect(try await !reader.replace(next, expecting: session.generation))
                session = next
            }
        },
        Case(
            "of concurrent replacements through two stores on the same data, exactly one succeeds",
            needing: [.reopening]
        ) { place in
            let stores = [try await place.open(), try await place.open()]
            let session = try await StoreSample.inserted(in: stores[0])
            let winners = try await count(of: 16) { number in
                let next = session.successor(Secret("\(number)"))
                return try await stores[number % 2].replace(next, expecting: session.generation)
            }
            #expect(winners == 1)
        },
    ]
}
