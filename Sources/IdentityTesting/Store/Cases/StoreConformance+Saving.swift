internal import FoundationEssentials
internal import IdentityKit
internal import Testing

extension StoreConformance {
    static let savingCases: [Case] = [
        Case("an unknown session is nil, not an error") { store in
            let session = try StoreSample.session()
            #expect(try await store.session(session.id) == nil)
            #expect(try await store.remove(session.id) == nil)
            #expect(try await store.sessions(matching: SessionFilter()).isEmpty)
            #expect(try await !store.replace(session, expecting: session.generation))
        },
        Case("an inserted session is loaded unchanged") { store in
            let session = try await StoreSample.session(
                tenant: "tenant",
                providerSessionID: "sid",
                payload: Secret(bytes: Array(0...255))
            ).inserted(in: store)
            #expect(StoreSample.areSame(try await store.session(session.id), session))
        },
        Case("loading a session repeatedly does not change it") { store in
            let session = try await StoreSample.inserted(in: store)
            for _ in 0..<5 { #expect(StoreSample.areSame(try await store.session(session.id), session)) }
            #expect(try await store.replace(session.successor(Secret("next")), expecting: session.generation))
        },
        Case("a second session with the same id is refused, and the first one is kept") { store in
            let session = try await StoreSample.inserted(in: store)
            await expectTyped { try await store.insert(session.successor(Secret("other"))) }
            #expect(StoreSample.areSame(try await store.session(session.id), session))
        },
        Case("a session with the id of another tenant's session is refused") { store in
            let session = try await StoreSample.inserted(in: store)
            var other = session
            other.tenant = "another"
            await expectTyped { try await store.insert(other) }
            #expect(StoreSample.areSame(try await store.session(session.id), session))
            #expect(try await store.sessions(matching: SessionFilter(tenant: "another")).isEmpty)
        },
        Case("ids that differ in one letter's case are two sessions") { store in
            var ids: [SessionID] = []
            for text in ["AAAAAAAAAAAAAAAAAAAAAA", "aAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAQ"] {
                ids.append(try #require(SessionID(rawValue: text)))
            }
            for (number, id) in ids.enumerated() {
                var session = try StoreSample.session(payload: Secret("\(number)"))
                session.id = id
                try await store.insert(session)
            }
            for (number, id) in ids.enumerated() {
                #expect(try await store.session(id)?.payload.reveal() == "\(number)")
            }
        },
        Case("sessions that differ only in their ids are separate") { store in
            let one = try await StoreSample.inserted(in: store)
            let other = try await StoreSample.inserted(in: store)
            #expect(try await store.replace(one.successor(Secret("one")), expecting: one.generation))
            #expect(StoreSample.areSame(try await store.session(other.id), other))
            #expect(try await store.sessions(matching: SessionFilter()).count == 2)
        },
        Case("of 16 concurrent insertions of one id, exactly one succeeds") { store in
            let session = try StoreSample.session()
            let count = try await count(of: 16) { number in
                do {
                    try await store.insert(session.successor(Secret("\(number)"), generations: 0))
                    return true
                } catch {
                    #expect((error as? IdentityError)?.kind == .rejected)
                    return false
                }
            }
            #expect(count == 1)
        },
        Case("64 concurrent insertions are all saved") { store in
            let sessions = try (0..<64).map { try StoreSample.session(payload: Secret("\($0)")) }
            let saved = try await count(of: sessions.count) { number in
                let session = sessions[number]
                try await store.insert(session)
                return try await store.replace(session.successor(session.payload), expecting: session.generation)
            }
            #expect(saved == 64)
            for session in sessions {
                #expect(StoreSample.areSame(try await store.session(session.id), session.successor(session.payload)))
            }
        },
        Case("a session keeps the value of isInDoubt with which it was inserted") { store in
            for isInDoubt in [true, false] {
                let session = try await StoreSample.session(isInDoubt: isInDoubt).inserted(in: store)
                #expect(try await store.session(session.id)?.isInDoubt == isInDoubt)
            }
        },
        Case("a replacement can set and clear isInDoubt") { store in
            var session = try await StoreSample.inserted(in: store)
            for isInDoubt in [true, true, false, true, false] {
                session = try await session.saved(Secret("next"), in: store) { $0.isInDoubt = isInDoubt }
                #expect(StoreSample.areSame(try await store.session(session.id), session))
            }
        },
        Case("a new session is not marked as restored from a backup") { store in
            var session = try StoreSample.session()
            session.isRestored = true
            try await store.insert(session)
            #expect(try await store.session(session.id)?.isRestored == false)
        },
        Case("a save clears the mark of a restored session") { store in
            let session = try await StoreSample.inserted(in: store)
            let next = try await session.saved(Secret("next"), in: store) { $0.isRestored = true }
            #expect(try await store.session(session.id)?.isRestored == false)
            #expect(try await store.sessions(matching: SessionFilter()).allSatisfy { !$0.isRestored })
        },
    ]
}
