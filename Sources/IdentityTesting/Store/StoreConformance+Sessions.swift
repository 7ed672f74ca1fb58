internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit
internal import Testing

extension StoreConformance {
    static let sessionCases: [Case] = [
        Case("an empty store has no session, and says so without an error") { store in
            let session = try StoreSample.session()
            #expect(try await store.session(session.id) == nil)
            #expect(try await store.remove(session.id) == nil)
            #expect(try await store.sessions(matching: SessionFilter()).isEmpty)
            #expect(try await !store.replace(session, expecting: session.generation))
        },
        Case("what was inserted is loaded unchanged") { store in
            let session = try StoreSample.session(tenant: "tenant", payload: Secret(bytes: Array(0...255)))
            try await store.insert(session)
            #expect(StoreSample.areSame(try await store.session(session.id), session))
        },
        Case("an id is stored once, and the first session stays") { store in
            let session = try StoreSample.session()
            try await store.insert(session)
            await #expect(throws: IdentityError.self) {
                try await store.insert(session.successor(Secret("other")))
            }
            #expect(StoreSample.areSame(try await store.session(session.id), session))
        },
        Case("a replacement of the expected generation is stored whole") { store in
            var session = try StoreSample.session()
            try await store.insert(session)
            session = session.successor(Secret("renewed"))
            session.retainedUntil += 7_200
            #expect(try await store.replace(session, expecting: StoredSession.firstGeneration))
            #expect(StoreSample.areSame(try await store.session(session.id), session))
        },
        Case("a replacement may change every field but the id") { store in
            let old = try StoreSample.session()
            try await store.insert(old)
            var new = old.successor(Secret("new"), generations: 5)
            new.provider = "bolt"
            new.tenant = "another"
            new.issuer = "https://other.example"
            new.subject = "somebody"
            new.createdAt += 1
            #expect(try await store.replace(new, expecting: old.generation))
            #expect(StoreSample.areSame(try await store.session(old.id), new))
            let filter = SessionFilter(buyer: (old.issuer, old.subject))
            #expect(try await store.sessions(matching: filter).isEmpty)
            #expect(try await store.sessions(matching: SessionFilter(provider: "bolt")).count == 1)
        },
        Case("a replacement of another generation changes nothing") { store in
            let session = try StoreSample.session()
            try await store.insert(session)
            for offset in [-1, 1, Int64.max - StoredSession.firstGeneration] {
                let isReplaced = try await store.replace(
                    session.successor(Secret("late")),
                    expecting: StoredSession.firstGeneration + offset
                )
                #expect(!isReplaced)
            }
            #expect(StoreSample.areSame(try await store.session(session.id), session))
        },
        Case("a removed session cannot be brought back by a late replacement") { store in
            let session = try StoreSample.session()
            try await store.insert(session)
            #expect(try await store.remove(session.id) != nil)
            #expect(try await !store.replace(session.successor(Secret("late")), expecting: session.generation))
            #expect(try await store.session(session.id) == nil)
        },
        Case("a removal returns the session and leaves the others") { store in
            let session = try StoreSample.session()
            let other = try StoreSample.session()
            try await store.insert(session)
            try await store.insert(other)
            let removed = try await store.remove(session.id)
            #expect(StoreSample.areSame(removed?.session, session))
            #expect(removed?.attachments.isEmpty == true)
            #expect(try await store.remove(session.id) == nil)
            #expect(StoreSample.areSame(try await store.session(other.id), other))
        },
        Case("of 32 concurrent replacements exactly one wins, and its payload is what is stored") { store in
            let session = try StoreSample.session()
            try await store.insert(session)
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
        Case("of 32 concurrent removals exactly one gets the session") { store in
            let session = try StoreSample.session()
            try await store.insert(session)
            let count = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<32 { group.addTask { try await store.remove(session.id) != nil } }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(count == 1)
        },
        Case("of 16 concurrent insertions of one id exactly one succeeds") { store in
            let session = try StoreSample.session()
            let count = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        (try? await store.insert(session.successor(Secret("\(number)"), generations: 0))) != nil
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(count == 1)
        },
        Case("64 sessions saved at once are all there afterwards") { store in
            let sessions = try (0..<64).map { try StoreSample.session(payload: Secret("\($0)")) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for session in sessions {
                    group.addTask {
                        try await store.insert(session)
                        let next = session.successor(session.payload)
                        #expect(try await store.replace(next, expecting: session.generation))
                    }
                }
                try await group.waitForAll()
            }
            for session in sessions {
                #expect(StoreSample.areSame(try await store.session(session.id), session.successor(session.payload)))
            }
        },
        Case("a hundred replacements in a row all hold") { store in
            var session = try StoreSample.session()
            try await store.insert(session)
            for number in 0..<100 {
                let next = session.successor(Secret("payload \(number)"))
                #expect(try await store.replace(next, expecting: session.generation))
                session = next
            }
            #expect(StoreSample.areSame(try await store.session(session.id), session))
        },
        Case("a payload may be empty, large, or shrink and grow") { store in
            let large = Secret(bytes: try SecureRandom.bytes(7_500))
            var session = try StoreSample.session(payload: Secret(""))
            try await store.insert(session)
            for payload in [large, Secret("x"), Secret(""), large] {
                let next = session.successor(payload)
                #expect(try await store.replace(next, expecting: session.generation))
                session = next
                #expect(StoreSample.areSame(try await store.session(session.id), session))
            }
        },
        Case("texts come back byte by byte, whatever is in them") { store in
            for text in StoreSample.awkwardTexts {
                let session = try StoreSample.session(
                    provider: text,
                    tenant: text,
                    issuer: text,
                    subject: text,
                    payload: Secret(text)
                )
                try await store.insert(session)
                #expect(StoreSample.areSame(try await store.session(session.id), session))
            }
        },
        Case("dates far away come back unchanged") { store in
            for date in [Date.distantPast, Date(timeIntervalSince1970: 0), Date.distantFuture] {
                let session = try StoreSample.session(createdAt: date, retainedUntil: date)
                try await store.insert(session)
                #expect(StoreSample.areSame(try await store.session(session.id), session))
            }
        },
        Case("generations near the end of their range do not trap") { store in
            var session = try StoreSample.session()
            session.generation = Int64.max
            try await store.insert(session)
            #expect(try await !store.replace(session, expecting: Int64.min))
            #expect(try await store.replace(session, expecting: Int64.max))
        },
    ]
}
