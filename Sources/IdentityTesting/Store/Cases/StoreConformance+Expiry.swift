internal import FoundationEssentials
internal import IdentityKit
internal import Testing

extension StoreConformance {
    static let usedTokenCases: [Case] = [
        Case("a token can be marked as used only once, and the mark is kept") { store in
            let marking = try Test.offered((any UsedTokenStore).self, by: store)
            #expect(try await !marking.isUsed("one"))
            #expect(try await marking.markUsed("one", until: StoreSample.moment))
            #expect(try await marking.isUsed("one"))
            #expect(try await !marking.markUsed("one", until: StoreSample.moment + 1))
            #expect(try await !marking.isUsed("two"))
        },
        Case("of 64 tasks that mark one token as used, exactly one succeeds") { store in
            let marking = try Test.offered((any UsedTokenStore).self, by: store)
            for round in 0..<4 {
                let firsts = try await count(of: 64) { _ in
                    try await marking.markUsed("key \(round)", until: StoreSample.moment)
                }
                #expect(firsts == 1)
            }
        },
        Case("used tokens are compared byte by byte") { store in
            let marking = try Test.offered((any UsedTokenStore).self, by: store)
            for (index, key) in StoreSample.awkwardTexts.enumerated() {
                #expect(try await marking.markUsed(key, until: StoreSample.moment + Double(index)))
            }
            for key in StoreSample.awkwardTexts { #expect(try await marking.isUsed(key)) }
        },
        Case("a used token is neither a pending login nor a session") { store in
            let marking = try Test.offered((any UsedTokenStore).self, by: store)
            let session = try await StoreSample.inserted(in: store)
            try await store.insert(StoreSample.attempt(session.id.rawValue))
            #expect(try await !marking.isUsed(session.id.rawValue))
            #expect(try await marking.markUsed(session.id.rawValue, until: StoreSample.moment))
            #expect(try await store.takeLoginAttempt(session.id.rawValue) != nil)
            #expect(try await store.remove(session.id) != nil)
            #expect(try await marking.isUsed(session.id.rawValue))
        },
        Case("a sweep removes expired marks of used tokens, and no others") { store in
            let marking = try Test.offered((any UsedTokenStore).self, by: store)
            let sweeping = try Test.offered((any ExpirySweeping).self, by: store)
            let now = StoreSample.pastMoment
            for (key, age) in [("old", -1.0), ("exact", 0), ("young", 1)] {
                #expect(try await marking.markUsed(key, until: now + age))
            }
            #expect(try await sweeping.sweep(expiredBefore: now) == 1)
            #expect(try await !marking.isUsed("old"))
            #expect(try await marking.isUsed("exact"))
            #expect(try await marking.isUsed("young"))
        },
        Case(
            "a store with the maximum number of used tokens refuses another used token and keeps all marks",
            needing: [.usedTokenLimit]
        ) { place in
            let store = try await place.open { options in
                options.maximumUsedTokens = 3
                options.clock = ManualClock(now: StoreSample.moment)
            }
            let marking = try Test.offered((any UsedTokenStore).self, by: store)
            for number in 0..<3 { #expect(try await marking.markUsed("\(number)", until: StoreSample.moment + 60)) }
            let error = await expectTyped(.storeFull) {
                _ = try await marking.markUsed("one more", until: StoreSample.moment + 60)
            }
            #expect(error?.kind == .retryLater)
            #expect(try await !marking.isUsed("one more"))
            for number in 0..<3 { #expect(try await !marking.markUsed("\(number)", until: StoreSample.moment + 60)) }
        },
        Case(
            "at the maximum number of used tokens, there is room for a new mark after one has expired",
            needing: [.usedTokenLimit]
        ) { place in
            let clock = ManualClock(now: StoreSample.pastMoment)
            let store = try await place.open { options in
                options.maximumUsedTokens = 2
                options.clock = clock
            }
            let marking = try Test.offered((any UsedTokenStore).self, by: store)
            #expect(try await marking.markUsed("early", until: StoreSample.pastMoment + 10))
            #expect(try await marking.markUsed("late", until: StoreSample.pastMoment + 30))
            clock.advance(by: .seconds(11))
            #expect(try await marking.markUsed("new", until: StoreSample.pastMoment + 60))
            for key in ["late", "new"] { #expect(try await marking.isUsed(key)) }
            #expect(try await !marking.isUsed("early"))
            await expectTyped(.storeFull) {
                _ = try await marking.markUsed("one more", until: StoreSample.pastMoment + 60)
            }
        },
    ]

    static let sweepCases: [Case] = [
        Case("a sweep removes and counts expired rows, and keeps the others") { store in
            let sweeping = try Test.offered((any ExpirySweeping).self, by: store)
            let now = StoreSample.pastMoment
            let old = try StoreSample.session(retainedUntil: now - 1)
            let young = try StoreSample.session(retainedUntil: now + 1)
            for session in [old, young] { try await store.insert(session) }
            try await store.insert(StoreSample.attempt("old", expiresAt: now - 1))
            try await store.insert(StoreSample.attempt("young", expiresAt: now + 1))
            #expect(try await sweeping.sweep(expiredBefore: now) == 2)
            #expect(try await store.session(old.id) == nil)
            #expect(try await store.session(young.id) != nil)
            #expect(try await store.takeLoginAttempt("old") == nil)
            #expect(try await store.takeLoginAttempt("young") != nil)
            #expect(try await sweeping.sweep(expiredBefore: now) == 0)
        },
        Case("a sweep keeps a row that expires exactly at the given time, and removes one that expired just before") {
            store in
            let sweeping = try Test.offered((any ExpirySweeping).self, by: store)
            let now = StoreSample.pastMoment
            let justBefore = Date(timeIntervalSinceReferenceDate: now.timeIntervalSinceReferenceDate.nextDown)
            let exact = try StoreSample.session(retainedUntil: now)
            let before = try StoreSample.session(retainedUntil: justBefore)
            for session in [exact, before] { try await store.insert(session) }
            try await store.insert(StoreSample.attempt("exact", expiresAt: now))
            try await store.insert(StoreSample.attempt("before", expiresAt: justBefore))
            #expect(try await sweeping.sweep(expiredBefore: now) == 2)
            #expect(try await store.session(exact.id) != nil)
            #expect(try await store.session(before.id) == nil)
            #expect(try await store.takeLoginAttempt("exact") != nil)
            #expect(try await store.takeLoginAttempt("before") == nil)
        },
        Case("a sweep removes the attachments of the sessions that it removes, and no others") { store in
            let sweeping = try Test.offered((any ExpirySweeping).self, by: store)
            let now = StoreSample.pastMoment
            let old = try StoreSample.session(retainedUntil: now - 1)
            let young = try StoreSample.session(retainedUntil: now + 1)
            for session in [old, young] {
                try await store.insert(session)
                #expect(try await store.setAttachment("cart", to: Secret("x"), of: session.id, expecting: nil))
            }
            #expect(try await sweeping.sweep(expiredBefore: now) == 1)
            #expect(try await store.attachment("cart", of: young.id) != nil)
            #expect(try await store.attachment("cart", of: old.id) == nil)
            try await store.insert(old)
            #expect(try await store.attachment("cart", of: old.id) == nil)
        },
        Case("a sweep of many rows is complete") { store in
            let sweeping = try Test.offered((any ExpirySweeping).self, by: store)
            let now = StoreSample.pastMoment
            let sessions = try (0..<600).map { try StoreSample.session(retainedUntil: now + ($0 % 3 == 0 ? 1 : -1)) }
            try await StoreSample.insert(sessions, into: store)
            try await concurrently(600) { number in
                try await store.insert(StoreSample.attempt("\(number)", expiresAt: now - 1))
            }
            #expect(try await sweeping.sweep(expiredBefore: now) == 600 + 400)
            #expect(try await store.sessions(matching: SessionFilter()).count == 200)
        },
        Case("a refreshed session survives a sweep after its first expiry") { store in
            let sweeping = try Test.offered((any ExpirySweeping).self, by: store)
            let session = try await StoreSample.session(retainedUntil: StoreSample.pastMoment).inserted(in: store)
            _ = try await session.saved(Secret("refreshed"), in: store) { $0.retainedUntil += 60 }
            #expect(try await sweeping.sweep(expiredBefore: StoreSample.pastMoment + 30) == 0)
            #expect(try await sweeping.sweep(expiredBefore: StoreSample.pastMoment + 61) == 1)
        },
        Case("a session that is refreshed during a sweep is stored as refreshed, or removed") { store in
            let sweeping = try Test.offered((any ExpirySweeping).self, by: store)
            let sessions = try (0..<30).map { _ in try StoreSample.session(retainedUntil: StoreSample.pastMoment - 1) }
            try await StoreSample.insert(sessions, into: store)
            let refreshed = sessions.map { session in
                session.successor(Secret("refreshed")) { $0.retainedUntil = StoreSample.pastMoment + 60 }
            }
            async let swept = sweeping.sweep(expiredBefore: StoreSample.pastMoment)
            let held = try await count(of: sessions.count) { number in
                let next = refreshed[number]
                let isReplaced = try await store.replace(next, expecting: sessions[number].generation)
                let found = try await store.session(next.id)
                #expect(isReplaced ? StoreSample.areSame(found, next) : found == nil)
                return isReplaced
            }
            #expect(try await swept == sessions.count - held)
            #expect(try await store.sessions(matching: SessionFilter()).count == held)
        },
        Case("two concurrent sweeps count each row once") { store in
            let sweeping = try Test.offered((any ExpirySweeping).self, by: store)
            let sessions = try (0..<50).map { _ in try StoreSample.session(retainedUntil: StoreSample.pastMoment - 1) }
            try await StoreSample.insert(sessions, into: store)
            async let one = sweeping.sweep(expiredBefore: StoreSample.pastMoment)
            async let other = sweeping.sweep(expiredBefore: StoreSample.pastMoment)
            #expect(try await one + other == 50)
        },
        Case(
            "a sweep up to the distant past removes no row, and a sweep up to the distant future removes all rows that expire sooner"
        ) { store in
            let sweeping = try Test.offered((any ExpirySweeping).self, by: store)
            for date in [StoreSample.pastMoment, Date.distantFuture] {
                try await store.insert(StoreSample.session(retainedUntil: date))
                try await store.insert(StoreSample.attempt("until \(date)", expiresAt: date))
            }
            #expect(try await sweeping.sweep(expiredBefore: .distantPast) == 0)
            #expect(try await sweeping.sweep(expiredBefore: .distantFuture) == 2)
            #expect(try await store.sessions(matching: SessionFilter()).map(\.retainedUntil) == [.distantFuture])
        },
        Case("a sweep of an empty store removes no row") { store in
            let sweeping = try Test.offered((any ExpirySweeping).self, by: store)
            #expect(try await sweeping.sweep(expiredBefore: .distantFuture) == 0)
        },
    ]
}
