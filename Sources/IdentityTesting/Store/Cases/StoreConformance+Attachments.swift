internal import FoundationEssentials
internal import IdentityKit
internal import Testing

extension StoreConformance {
    static let attachmentCases: [Case] = [
        Case("each change of an attachment gives it another revision") { store in
            let id = try await StoreSample.inserted(in: store).id
            #expect(try await store.attachment("cart", of: id) == nil)
            #expect(try await store.setAttachment("cart", to: Secret("one"), of: id, expecting: nil))
            let first = try #require(try await store.attachment("cart", of: id))
            #expect(first.payload.reveal() == "one")
            #expect(try await store.setAttachment("cart", to: Secret("two"), of: id, expecting: first.revision))
            let second = try #require(try await store.attachment("cart", of: id))
            #expect(second.payload.reveal() == "two")
            #expect(second.revision != first.revision)
        },
        Case("a change that expects another revision is refused and changes nothing") { store in
            let id = try await StoreSample.inserted(in: store).id
            #expect(try await !store.setAttachment("cart", to: Secret("x"), of: id, expecting: 1))
            #expect(try await store.setAttachment("cart", to: Secret("one"), of: id, expecting: nil))
            let revision = try #require(try await store.attachment("cart", of: id)).revision
            for stale in [nil, revision &- 1, revision &+ 1, revision ^ .min] {
                #expect(try await !store.setAttachment("cart", to: Secret("late"), of: id, expecting: stale))
                #expect(try await !store.setAttachment("cart", to: nil, of: id, expecting: stale))
            }
            #expect(try await store.attachment("cart", of: id)?.payload.reveal() == "one")
        },
        Case("an attachment can be removed and added again") { store in
            let id = try await StoreSample.inserted(in: store).id
            #expect(try await store.setAttachment("cart", to: nil, of: id, expecting: nil))
            #expect(try await store.setAttachment("cart", to: Secret("one"), of: id, expecting: nil))
            let revision = try await store.attachment("cart", of: id)?.revision
            #expect(try await store.setAttachment("cart", to: nil, of: id, expecting: revision))
            #expect(try await store.attachment("cart", of: id) == nil)
            #expect(try await store.setAttachment("cart", to: Secret("two"), of: id, expecting: nil))
            #expect(try await store.attachment("cart", of: id)?.payload.reveal() == "two")
        },
        Case("an unknown session gets no attachment") { store in
            let id = try StoreSample.id()
            #expect(try await !store.setAttachment("cart", to: Secret("x"), of: id, expecting: nil))
            #expect(try await !store.setAttachment("cart", to: nil, of: id, expecting: nil))
            #expect(try await store.attachment("cart", of: id) == nil)
        },
        Case("names of attachments are compared byte by byte, also the empty name") { store in
            let id = try await StoreSample.inserted(in: store).id
            for name in StoreSample.awkwardTexts {
                #expect(try await store.setAttachment(name, to: Secret("of \(name)"), of: id, expecting: nil))
            }
            for name in StoreSample.awkwardTexts {
                let payload = try await store.attachment(name, of: id)?.payload.reveal()
                #expect(payload?.isIdentical(to: "of \(name)") == true)
            }
        },
        Case("two sessions can have separate attachments with the same name") { store in
            let one = try await StoreSample.inserted(in: store).id
            let other = try await StoreSample.inserted(in: store).id
            #expect(try await store.setAttachment("cart", to: Secret("one"), of: one, expecting: nil))
            #expect(try await store.attachment("cart", of: other) == nil)
            #expect(try await store.setAttachment("cart", to: Secret("other"), of: other, expecting: nil))
            let revision = try await store.attachment("cart", of: one)?.revision
            #expect(try await store.setAttachment("cart", to: nil, of: one, expecting: revision))
            #expect(try await store.attachment("cart", of: other)?.payload.reveal() == "other")
        },
        Case("an attachment's name and its session's id are compared separately") { store in
            let one = try await StoreSample.inserted(in: store).id
            let other = try await StoreSample.inserted(in: store).id
            let name = other.rawValue + "cart"
            #expect(try await store.setAttachment(name, to: Secret("one"), of: one, expecting: nil))
            #expect(try await store.attachment("cart", of: other) == nil)
            #expect(try await store.attachment(one.rawValue, of: one) == nil)
        },
        Case("the removal of a session returns and removes its attachments") { store in
            let id = try await StoreSample.inserted(in: store).id
            #expect(try await store.setAttachment("cart", to: Secret("one"), of: id, expecting: nil))
            #expect(try await store.setAttachment("note", to: Secret("two"), of: id, expecting: nil))
            let removed = try #require(try await store.remove(id))
            #expect(removed.attachments.mapValues { $0.reveal() } == ["cart": "one", "note": "two"])
            #expect(try await store.attachment("cart", of: id) == nil)
            // A new session with the same id must not get the cart of the removed session.
            var again = removed.session
            again.payload = Secret("again")
            try await store.insert(again)
            #expect(try await store.attachment("cart", of: id) == nil)
        },
        Case("the removal of a session with many attachments returns all of them") { store in
            let id = try await StoreSample.inserted(in: store).id
            let attached = try await count(of: 40) { number in
                try await store.setAttachment("\(number)", to: Secret("of \(number)"), of: id, expecting: nil)
            }
            #expect(attached == 40)
            let removed = try #require(try await store.remove(id))
            #expect(removed.attachments.count == 40)
            #expect(removed.attachments.allSatisfy { $0.value.reveal() == "of \($0.key)" })
        },
        Case("a removed attachment is not returned when its session is removed") { store in
            let id = try await StoreSample.inserted(in: store).id
            #expect(try await store.setAttachment("cart", to: Secret("one"), of: id, expecting: nil))
            let revision = try await store.attachment("cart", of: id)?.revision
            #expect(try await store.setAttachment("cart", to: nil, of: id, expecting: revision))
            #expect(try await store.remove(id)?.attachments.isEmpty == true)
        },
        Case("a replaced session keeps its attachments") { store in
            let session = try await StoreSample.inserted(in: store)
            #expect(try await store.setAttachment("cart", to: Secret("one"), of: session.id, expecting: nil))
            let next = try await session.saved(Secret("new"), in: store) { $0.tenant = "another" }
            #expect(try await store.attachment("cart", of: session.id)?.payload.reveal() == "one")
            #expect(try await store.remove(session.id)?.attachments["cart"]?.reveal() == "one")
        },
        Case("an attachment may have any bytes, from none to 7,500") { store in
            let id = try await StoreSample.inserted(in: store).id
            for payload in [
                Secret(""), Secret(bytes: Array(0...255)), try StoreSample.randomPayload(7_500), Secret(""),
            ] {
                let revision = try await store.attachment("large", of: id)?.revision
                #expect(try await store.setAttachment("large", to: payload, of: id, expecting: revision))
                #expect(try await store.attachment("large", of: id)?.payload.isEqual(to: payload) == true)
            }
        },
        Case("an attachment of 300,000 bytes is saved, or it is refused and the old one is kept") { store in
            let id = try await StoreSample.inserted(in: store).id
            #expect(try await store.setAttachment("cart", to: Secret("old"), of: id, expecting: nil))
            let revision = try await store.attachment("cart", of: id)?.revision
            let large = try StoreSample.randomPayload(300_000)
            let isSet = await isDone { try await store.setAttachment("cart", to: large, of: id, expecting: revision) }
            let found = try await store.attachment("cart", of: id)?.payload
            #expect(found?.isEqual(to: isSet ? large : Secret("old")) == true)
        },
    ]

    static let revisionCases: [Case] = [
        Case("an attachment that is removed and added again never gets a revision that it had before") { store in
            let id = try await StoreSample.inserted(in: store).id
            var seen: Set<Int64> = []
            for _ in 0..<4 {
                #expect(try await store.setAttachment("cart", to: Secret("x"), of: id, expecting: nil))
                let first = try #require(try await store.attachment("cart", of: id)).revision
                #expect(seen.insert(first).inserted)
                #expect(try await store.setAttachment("cart", to: Secret("y"), of: id, expecting: first))
                let second = try #require(try await store.attachment("cart", of: id)).revision
                #expect(seen.insert(second).inserted)
                #expect(try await store.setAttachment("cart", to: nil, of: id, expecting: second))
            }
        },
        Case("a caller that read an attachment before its removal cannot change a new attachment of this name") {
            store in
            let id = try await StoreSample.inserted(in: store).id
            #expect(try await store.setAttachment("cart", to: Secret("first"), of: id, expecting: nil))
            let seen = try #require(try await store.attachment("cart", of: id)).revision
            #expect(try await store.setAttachment("cart", to: nil, of: id, expecting: seen))
            #expect(try await store.setAttachment("cart", to: Secret("second"), of: id, expecting: nil))
            #expect(try await !store.setAttachment("cart", to: Secret("late"), of: id, expecting: seen))
            #expect(try await !store.setAttachment("cart", to: nil, of: id, expecting: seen))
            #expect(try await store.attachment("cart", of: id)?.payload.reveal() == "second")
        },
        Case("an attachment never gets a revision that it had before its session was removed and stored again") {
            store in
            let session = try await StoreSample.inserted(in: store)
            #expect(try await store.setAttachment("cart", to: Secret("first"), of: session.id, expecting: nil))
            let seen = try #require(try await store.attachment("cart", of: session.id)).revision
            _ = try await store.remove(session.id)
            try await store.insert(session)
            #expect(try await store.setAttachment("cart", to: Secret("second"), of: session.id, expecting: nil))
            #expect(try await !store.setAttachment("cart", to: Secret("late"), of: session.id, expecting: seen))
        },
        Case("of 32 concurrent changes of one revision, exactly one succeeds") { store in
            let id = try await StoreSample.inserted(in: store).id
            for round in 0..<3 {
                let revision = try await store.attachment("cart", of: id)?.revision
                let winners = try await count(of: 32) { number in
                    let payload = Secret("\(round) \(number)")
                    return try await store.setAttachment("cart", to: payload, of: id, expecting: revision)
                }
                #expect(winners == 1)
            }
        },
        Case("of concurrent changes and removals of one revision, exactly one succeeds") { store in
            let id = try await StoreSample.inserted(in: store).id
            for _ in 0..<3 {
                let found = try await store.attachment("cart", of: id)?.revision
                if found == nil {
                    #expect(try await store.setAttachment("cart", to: Secret("x"), of: id, expecting: nil))
                }
                let revision = try await store.attachment("cart", of: id)?.revision
                let winners = try await count(of: 16) { number in
                    let payload = number.isMultiple(of: 2) ? nil : Secret("\(number)")
                    return try await store.setAttachment("cart", to: payload, of: id, expecting: revision)
                }
                #expect(winners == 1)
            }
        },
        Case("a counter in an attachment loses no increment of concurrent tasks") { store in
            let id = try await StoreSample.inserted(in: store).id
            #expect(try await store.setAttachment("count", to: Secret("0"), of: id, expecting: nil))
            try await countToForty { readers in
                let found = try #require(try await store.attachment("count", of: id))
                let number = try #require(Int(found.payload.reveal()))
                readers.arrive()
                await readers.waitForAll()
                let next = Secret("\(number + 1)")
                return try await store.setAttachment("count", to: next, of: id, expecting: found.revision)
            }
            #expect(try await store.attachment("count", of: id)?.payload.reveal() == "40")
        },
    ]
}
