internal import FoundationEssentials
internal import IdentityKit
internal import Testing

extension StoreConformance {
    static let valueCases: [Case] =
        fields.map { name, change in
            Case("\(name) is kept byte by byte") { store in
                for text in StoreSample.awkwardTexts {
                    var session = try StoreSample.session()
                    change(&session, text)
                    try await store.insert(session)
                    #expect(StoreSample.areSame(try await store.session(session.id), session))
                    var next = session.successor(Secret("next"))
                    change(&next, text + text)
                    #expect(try await store.replace(next, expecting: session.generation))
                    #expect(StoreSample.areSame(try await store.session(session.id), next))
                }
            }
        }
        + fields.map { name, change in
            Case("\(name) of 100,000 bytes is kept completely or refused, and nothing is lost") { store in
                let old = try await StoreSample.inserted(in: store)
                var large = old.successor(Secret("large"))
                change(&large, String(repeating: "ä", count: 50_000))
                let expected = large
                let isReplaced = await isDone { try await store.replace(expected, expecting: old.generation) }
                #expect(StoreSample.areSame(try await store.session(old.id), isReplaced ? large : old))
                let id = try StoreSample.id()
                let new = large.successor(large.payload, generations: 0) { $0.id = id }
                let isInserted = await isDone {
                    try await store.insert(new)
                    return true
                }
                #expect(isInserted == isReplaced)
                let found = try await store.session(new.id)
                #expect(isInserted ? StoreSample.areSame(found, new) : found == nil)
            }
        }
        + otherValueCases

    /// The texts of a session, each of which may be any string.
    private static let fields: [(String, @Sendable (inout StoredSession, String) -> Void)] = [
        ("a provider's name", { $0.provider = $1 }),
        ("a tenant", { $0.tenant = $1 }),
        ("an issuer", { $0.issuer = $1 }),
        ("a subject", { $0.subject = $1 }),
        ("a provider session id", { $0.providerSessionID = $1 }),
        ("a payload", { $0.payload = Secret($1) }),
    ]

    private static let otherValueCases: [Case] = [
        Case("a missing and an empty provider session id are different") { store in
            for name in [nil, ""] {
                let session = try await StoreSample.session(providerSessionID: name).inserted(in: store)
                #expect(StoreSample.areSame(try await store.session(session.id), session))
                let next = try await session.saved(Secret("next"), in: store) {
                    $0.providerSessionID = name == nil ? "" : nil
                }
                #expect(StoreSample.areSame(try await store.session(session.id), next))
            }
        },
        Case("a payload may be any bytes, also NUL and invalid UTF-8") { store in
            for bytes in [[0], [0, 0, 0], [0xFF, 0xFE, 0xC0], Array(0...255), [0xED, 0xA0, 0x80]] as [[UInt8]] {
                let session = try await StoreSample.session(payload: Secret(bytes: bytes)).inserted(in: store)
                #expect(try await store.session(session.id)?.payload.revealBytes() == bytes)
            }
        },
        Case("distant dates are returned unchanged") { store in
            for date in [Date.distantPast, Date(timeIntervalSince1970: 0), Date.distantFuture] {
                let end = max(date, StoreSample.moment)
                let session = try await StoreSample.session(createdAt: date, retainedUntil: end).inserted(in: store)
                #expect(StoreSample.areSame(try await store.session(session.id), session))
            }
        },
        Case("dates are returned exact to the bit") { store in
            for seconds in [
                812_345_678.123_456_7, 812_345_678.123_456_7.nextUp, 0.1, -0.1, -0.0, .leastNonzeroMagnitude,
                -1e9 / 3, 4e15 / 7,
            ] {
                let date = Date(timeIntervalSinceReferenceDate: seconds)
                let end = StoreSample.moment + abs(seconds)
                let session = try await StoreSample.session(createdAt: date, retainedUntil: end).inserted(in: store)
                #expect(StoreSample.areSame(try await store.session(session.id), session))
                let later = Date(timeIntervalSinceReferenceDate: end.timeIntervalSinceReferenceDate.nextUp)
                let next = try await session.saved(Secret("next"), in: store) { $0.retainedUntil = later }
                #expect(StoreSample.areSame(try await store.session(session.id), next))
            }
        },
    ]

    static let sizeCases: [Case] = [
        Case("a payload of up to 7,500 bytes is kept completely") { store in
            for count in [0, 1, 15, 16, 255, 256, 4_095, 4_096, 7_500] {
                let session = try StoreSample.session(payload: try StoreSample.randomPayload(count))
                try await store.insert(session)
                #expect(StoreSample.areSame(try await store.session(session.id), session))
            }
        },
        Case("a payload may be empty, large, or shrink and grow") { store in
            let large = try StoreSample.randomPayload(7_500)
            var session = try await StoreSample.session(payload: Secret("")).inserted(in: store)
            for payload in [large, Secret("x"), Secret(""), large] {
                session = try await session.saved(payload, in: store)
                #expect(StoreSample.areSame(try await store.session(session.id), session))
            }
        },
        Case("a growing payload is saved, or it is refused and the old one is kept") { store in
            var session = try await StoreSample.session(payload: Secret("small")).inserted(in: store)
            for count in [1_000, 8_000, 16_000, 64_000, 300_000, 20] {
                let next = session.successor(try StoreSample.randomPayload(count))
                let expected = session
                if await isDone({ try await store.replace(next, expecting: expected.generation) }) {
                    session = next
                }
                #expect(StoreSample.areSame(try await store.session(session.id), session))
            }
            #expect(session.payload.count == 20)
        },
        Case("a new session with a large payload is stored completely, or it is refused and not stored") { store in
            for count in [16_000, 300_000] {
                let session = try StoreSample.session(payload: try StoreSample.randomPayload(count))
                let isInserted = await isDone {
                    try await store.insert(session)
                    return true
                }
                let found = try await store.session(session.id)
                #expect(isInserted ? StoreSample.areSame(found, session) : found == nil)
                #expect(
                    try await store.sessions(matching: SessionFilter()).contains { $0.id == session.id } == isInserted
                )
            }
        },
        Case("a large session does not affect other sessions") { store in
            let small = try await StoreSample.inserted(in: store)
            let large = try await StoreSample.session(payload: StoreSample.randomPayload(7_500)).inserted(in: store)
            #expect(try await store.replace(large.successor(Secret("")), expecting: large.generation))
            #expect(StoreSample.areSame(try await store.session(small.id), small))
        },
    ]
}
