internal import FoundationEssentials
internal import IdentityKit
internal import Testing

extension StoreConformance {
    static let replacingCases: [Case] = [
        Case("a replacement that expects the current generation is stored completely") { store in
            let session = try await StoreSample.inserted(in: store)
            let next = try await session.saved(Secret("refreshed"), in: store) { $0.retainedUntil += 7_200 }
            #expect(StoreSample.areSame(try await store.session(session.id), next))
        },
        Case("a replacement may change every field but the id") { store in
            let old = try await StoreSample.inserted(in: store)
            var new = old.successor(Secret("new"), generations: 5)
            new.provider = "bolt"
            new.tenant = "another"
            new.issuer = "https://other.example"
            new.subject = "somebody"
            new.providerSessionID = "sid"
            new.createdAt += 1
            new.isInDoubt = true
            #expect(try await store.replace(new, expecting: old.generation))
            #expect(StoreSample.areSame(try await store.session(old.id), new))
            let filter = SessionFilter(buyer: (old.issuer, old.subject))
            #expect(try await store.sessions(matching: filter).isEmpty)
            #expect(try await store.sessions(matching: SessionFilter(provider: "bolt")).count == 1)
        },
        Case("a replacement that expects another generation changes nothing") { store in
            let session = try await StoreSample.inserted(in: store)
            let offsets: [Int64] = [-1, 1, 1 << 32, -(1 << 32), 1 << 53, Int64.max - StoredSession.firstGeneration]
            for offset in offsets {
                let isReplaced = try await store.replace(
                    session.successor(Secret("late")),
                    expecting: StoredSession.firstGeneration + offset
                )
                #expect(!isReplaced)
            }
            #expect(StoreSample.areSame(try await store.session(session.id), session))
        },
        Case("a replacement of an unknown session returns false and adds no session") { store in
            let session = try StoreSample.session()
            #expect(try await !store.replace(session, expecting: session.generation))
            #expect(try await store.session(session.id) == nil)
            #expect(try await store.sessions(matching: SessionFilter()).isEmpty)
        },
        Case("a replacement of one session does not change the others") { store in
            let session = try await StoreSample.inserted(in: store)
            let others = try (0..<3).map { _ in try StoreSample.session() }
            try await StoreSample.insert(others, into: store)
            #expect(try await store.replace(session.successor(Secret("next")), expecting: session.generation))
            for other in others { #expect(StoreSample.areSame(try await store.session(other.id), other)) }
        },
        Case("a hundred replacements in a row are all saved") { store in
            var session = try await StoreSample.inserted(in: store)
            for number in 0..<100 {
                session = try await session.saved(Secret("payload \(number)"), in: store)
            }
            #expect(StoreSample.areSame(try await store.session(session.id), session))
        },
        Case("a generation may be any 64-bit number from the first generation upwards") { store in
            let generations: [Int64] = [StoredSession.firstGeneration, (1 << 53) + 1, .max - 2]
            for generation in generations {
                var session = try StoreSample.session()
                session.generation = generation
                try await store.insert(session)
                #expect(StoreSample.areSame(try await store.session(session.id), session))
                let next = session.successor(Secret("next"))
                #expect(try await !store.replace(next, expecting: generation - 1))
                #expect(try await !store.replace(next, expecting: generation + 1))
                #expect(try await store.replace(next, expecting: generation))
            }
        },
        Case("a replacement may have any higher generation") { store in
            var session = try await StoreSample.inserted(in: store)
            let first = session.generation
            let generations: [Int64] = [first + 1, 1 << 50, (1 << 53) + 1, .max - 1, .max]
            for generation in generations {
                let next = session.successor(Secret("of \(generation)"), generations: 0) { $0.generation = generation }
                #expect(try await store.replace(next, expecting: session.generation))
                session = next
                #expect(StoreSample.areSame(try await store.session(session.id), session))
            }
        },
        Case("of 32 concurrent replacements, exactly one succeeds, and its payload is stored") { store in
            let session = try await StoreSample.inserted(in: store)
            let winners = try await withThrowingTaskGroup(of: Int?.self) { group in
                for number in 0..<32 {
                    group.addTask {
                        let next = session.successor(Secret("\(number)"))
                        return try await store.replace(next, expecting: session.generation) ? number : nil
                    }
                }
                return try await group.reduce(into: [Int]()) { if let number = $1 { $0.append(number) } }
            }
            #expect(winners.count == 1)
            #expect(try await store.session(session.id)?.payload.reveal() == winners.first.map { "\($0)" })
        },
        Case("a caller whose replacement was refused reads the newer session at once") { store in
            let session = try await StoreSample.inserted(in: store)
            _ = try await count(of: 8) { number in
                let next = session.successor(Secret("\(number)"))
                guard try await !store.replace(next, expecting: session.generation) else { return true }
                let found = try #require(try await store.session(session.id))
                #expect(found.generation == next.generation)
                #expect(!found.payload.isEqual(to: session.payload))
                return false
            }
        },
        Case("counting up a session by compare-and-set loses no increment") { store in
            let session = try await StoreSample.session(payload: Secret("0")).inserted(in: store)
            try await countToForty { readers in
                let found = try #require(try await store.session(session.id))
                let number = try #require(Int(found.payload.reveal()))
                readers.arrive()
                await readers.waitForAll()
                return try await store.replace(found.successor(Secret("\(number + 1)")), expecting: found.generation)
            }
            let end = try #require(try await store.session(session.id))
            #expect(end.payload.reveal() == "40")
            #expect(end.generation == session.generation + 40)
        },
        Case("a read during saves returns a complete session of one save") { store in
            let first = try StoreSample.session(payload: Secret("\(StoredSession.firstGeneration)"))
            try await store.insert(first)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await StoreSample.replace(first, times: 40, in: store) { Secret("\($0)") }
                }
                for _ in 0..<3 {
                    group.addTask {
                        var newest = first.generation
                        for _ in 0..<40 {
                            let found = try #require(try await store.session(first.id))
                            #expect(found.payload.reveal() == "\(found.generation)")
                            #expect(found.generation >= newest)
                            newest = found.generation
                        }
                    }
                }
                try await group.waitForAll()
            }
        },
    ]
}
