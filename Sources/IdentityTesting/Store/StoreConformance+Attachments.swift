internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit
internal import Testing

extension StoreConformance {
    static let attachmentCases: [Case] = [
        Case("what is attached is there with a revision, and each change raises the revision") { store in
            let id = try await inserted(in: store)
            #expect(try await store.attachment("cart", of: id) == nil)
            #expect(try await store.setAttachment("cart", to: Secret("one"), of: id, expecting: nil))
            let first = try #require(try await store.attachment("cart", of: id))
            #expect(first.payload.reveal() == "one")
            #expect(try await store.setAttachment("cart", to: Secret("two"), of: id, expecting: first.revision))
            let second = try #require(try await store.attachment("cart", of: id))
            #expect(second.payload.reveal() == "two")
            #expect(second.revision > first.revision)
        },
        Case("a change of another revision changes nothing") { store in
            let id = try await inserted(in: store)
            #expect(try await !store.setAttachment("cart", to: Secret("x"), of: id, expecting: 1))
            #expect(try await store.setAttachment("cart", to: Secret("one"), of: id, expecting: nil))
            let revision = try #require(try await store.attachment("cart", of: id)).revision
            for stale in [nil, revision - 1, revision + 1, Int64.max, Int64.min] {
                #expect(try await !store.setAttachment("cart", to: Secret("late"), of: id, expecting: stale))
            }
            for stale in [nil, revision - 1, revision + 1] {
                #expect(try await !store.setAttachment("cart", to: nil, of: id, expecting: stale))
            }
            #expect(try await store.attachment("cart", of: id)?.payload.reveal() == "one")
        },
        Case("an attachment can be removed and made anew") { store in
            let id = try await inserted(in: store)
            #expect(try await store.setAttachment("cart", to: nil, of: id, expecting: nil))
            #expect(try await store.setAttachment("cart", to: Secret("one"), of: id, expecting: nil))
            let revision = try await store.attachment("cart", of: id)?.revision
            #expect(try await store.setAttachment("cart", to: nil, of: id, expecting: revision))
            #expect(try await store.attachment("cart", of: id) == nil)
            #expect(try await store.setAttachment("cart", to: Secret("two"), of: id, expecting: nil))
        },
        Case("nothing is attached to a session that is not there") { store in
            let id = try StoreSample.id()
            #expect(try await !store.setAttachment("cart", to: Secret("x"), of: id, expecting: nil))
            #expect(try await !store.setAttachment("cart", to: nil, of: id, expecting: nil))
            #expect(try await store.attachment("cart", of: id) == nil)
        },
        Case("names and sessions are told apart byte by byte") { store in
            let id = try await inserted(in: store)
            let other = try await inserted(in: store)
            for name in StoreSample.awkwardTexts {
                #expect(try await store.setAttachment(name, to: Secret("of \(name)"), of: id, expecting: nil))
            }
            for name in StoreSample.awkwardTexts {
                let payload = try await store.attachment(name, of: id)?.payload.reveal()
                #expect(payload?.isIdentical(to: "of \(name)") == true)
                #expect(try await store.attachment(name, of: other) == nil)
            }
        },
        Case("a removed session gives its attachments back and takes them along") { store in
            let id = try await inserted(in: store)
            #expect(try await store.setAttachment("cart", to: Secret("one"), of: id, expecting: nil))
            #expect(try await store.setAttachment("note", to: Secret("two"), of: id, expecting: nil))
            let removed = try #require(try await store.remove(id))
            #expect(removed.attachments.mapValues { $0.reveal() } == ["cart": "one", "note": "two"])
            #expect(try await store.attachment("cart", of: id) == nil)
            // The same id again, as after a restore: it must not find the old cart.
            var again = removed.session
            again.payload = Secret("again")
            try await store.insert(again)
            #expect(try await store.attachment("cart", of: id) == nil)
        },
        Case("a replaced session keeps what is attached to it") { store in
            let id = try await inserted(in: store)
            #expect(try await store.setAttachment("cart", to: Secret("one"), of: id, expecting: nil))
            let session = try #require(try await store.session(id))
            #expect(try await store.replace(session.successor(Secret("new")), expecting: session.generation))
            #expect(try await store.attachment("cart", of: id)?.payload.reveal() == "one")
        },
        Case("of 32 concurrent changes of one revision exactly one wins") { store in
            let id = try await inserted(in: store)
            for round in 0..<3 {
                let revision = try await store.attachment("cart", of: id)?.revision
                let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for number in 0..<32 {
                        let payload = Secret("\(round) \(number)")
                        group.addTask {
                            try await store.setAttachment("cart", to: payload, of: id, expecting: revision)
                        }
                    }
                    return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
                }
                #expect(winners == 1)
            }
        },
        Case("counting up with compare-and-set loses no step") { store in
            let id = try await inserted(in: store)
            #expect(try await store.setAttachment("count", to: Secret("0"), of: id, expecting: nil))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<5 { try await increment("count", of: id, in: store) }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await store.attachment("count", of: id)?.payload.reveal() == "40")
        },
        Case("a large attachment is kept whole") { store in
            let id = try await inserted(in: store)
            let payload = Secret(bytes: try SecureRandom.bytes(7_500))
            #expect(try await store.setAttachment("large", to: payload, of: id, expecting: nil))
            #expect(try await store.attachment("large", of: id)?.payload.isEqual(to: payload) == true)
        },
    ]

    private static func inserted(in store: any SessionStore) async throws -> SessionID {
        let session = try StoreSample.session()
        try await store.insert(session)
        return session.id
    }

    private static func increment(_ name: String, of id: SessionID, in store: any SessionStore) async throws {
        while true {
            let found = try #require(try await store.attachment(name, of: id))
            let count = try #require(Int(found.payload.reveal()))
            if try await store.setAttachment(name, to: Secret("\(count + 1)"), of: id, expecting: found.revision) {
                return
            }
        }
    }
}
