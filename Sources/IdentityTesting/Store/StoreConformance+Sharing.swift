internal import FoundationEssentials
internal import IdentityKit
internal import Synchronization
internal import Testing

extension StoreConformance {
    static let sweepCases: [Case] = [
        Case("a sweep removes what has expired, counts it, and leaves the rest") { store in
            guard let sweeping = store as? any ExpirySweeping else { return }
            let now = StoreSample.moment
            let old = try StoreSample.session(retainedUntil: now - 1)
            let exact = try StoreSample.session(retainedUntil: now)
            let young = try StoreSample.session(retainedUntil: now + 1)
            for session in [old, exact, young] { try await store.insert(session) }
            #expect(try await store.setAttachment("cart", to: Secret("x"), of: old.id, expecting: nil))
            #expect(try await store.setAttachment("cart", to: Secret("y"), of: young.id, expecting: nil))
            try await store.insert(StoreSample.attempt("old", expiresAt: now - 1))
            try await store.insert(StoreSample.attempt("exact", expiresAt: now))
            #expect(try await sweeping.sweep(expiredBefore: now) == 2)
            #expect(try await store.session(old.id) == nil)
            #expect(try await store.attachment("cart", of: old.id) == nil)
            #expect(try await store.session(exact.id) != nil)
            #expect(try await store.session(young.id) != nil)
            #expect(try await store.attachment("cart", of: young.id) != nil)
            #expect(try await store.takeLoginAttempt("old") == nil)
            #expect(try await store.takeLoginAttempt("exact") != nil)
            #expect(try await sweeping.sweep(expiredBefore: now) == 0)
        },
        Case("a sweep of many rows is complete") { store in
            guard let sweeping = store as? any ExpirySweeping else { return }
            let now = StoreSample.moment
            let sessions = try (0..<600).map { try StoreSample.session(retainedUntil: now + ($0 % 3 == 0 ? 1 : -1)) }
            try await StoreSample.insert(sessions, into: store)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<600 {
                    group.addTask { try await store.insert(StoreSample.attempt("\(number)", expiresAt: now - 1)) }
                }
                try await group.waitForAll()
            }
            #expect(try await sweeping.sweep(expiredBefore: now) == 600 + 400)
            #expect(try await store.sessions(matching: SessionFilter()).count == 200)
        },
        Case("a renewed session outlives the sweep that its first time would have fallen to") { store in
            guard let sweeping = store as? any ExpirySweeping else { return }
            var session = try StoreSample.session(retainedUntil: StoreSample.moment)
            try await store.insert(session)
            session = session.successor(Secret("renewed"))
            session.retainedUntil += 60
            #expect(try await store.replace(session, expecting: StoredSession.firstGeneration))
            #expect(try await sweeping.sweep(expiredBefore: StoreSample.moment + 30) == 0)
            #expect(try await sweeping.sweep(expiredBefore: StoreSample.moment + 61) == 1)
        },
    ]

    static let lockCases: [Case] = [
        Case("two holders of one session's lock are never inside at once") { store in
            guard let locking = store as? any SessionLocking else { return }
            let id = try StoreSample.id()
            let room = Room()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await locking.withSessionLock(id, waitingUpTo: .seconds(60)) { _ in
                            room.enter()
                            for _ in 0..<50 { await Task.yield() }
                            room.leave()
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(room.most == 1)
            #expect(room.entries == 8)
        },
        Case("different sessions do not wait for each other, and the store works inside a lock") { store in
            guard let locking = store as? any SessionLocking else { return }
            let session = try StoreSample.session()
            let other = try StoreSample.id()
            let result = try await locking.withSessionLock(session.id, waitingUpTo: .zero) { _ in
                try await locking.withSessionLock(other, waitingUpTo: .zero) { _ in
                    try await store.insert(session)
                    return try await store.session(session.id)?.payload.reveal()
                }
            }
            #expect(result == "tokens")
        },
        Case("a lock that is not to be had in time is renewal_busy, and the body does not run") { store in
            guard let locking = store as? any SessionLocking else { return }
            let id = try StoreSample.id()
            try await locking.withSessionLock(id, waitingUpTo: .zero) { _ in
                let error = await #expect(throws: IdentityError.self) {
                    try await locking.withSessionLock(id, waitingUpTo: .zero) { _ in Issue.record("the body ran") }
                }
                #expect(error?.code == .renewalBusy)
                #expect(error?.kind == .retryLater)
            }
        },
        Case("a body that throws gives its error on and the lock back") { store in
            guard let locking = store as? any SessionLocking else { return }
            struct Failure: Error {}
            let id = try StoreSample.id()
            await #expect(throws: Failure.self) {
                try await locking.withSessionLock(id, waitingUpTo: .zero) { _ in throw Failure() }
            }
            try await locking.withSessionLock(id, waitingUpTo: .zero) { _ in }
        },
        Case("who is cancelled while waiting stops waiting, and the lock is free afterwards") { store in
            guard let locking = store as? any SessionLocking else { return }
            let id = try StoreSample.id()
            try await locking.withSessionLock(id, waitingUpTo: .zero) { _ in
                let waiter = Task {
                    try await locking.withSessionLock(id, waitingUpTo: .seconds(3_600)) { _ in
                        Issue.record("the body ran")
                    }
                }
                waiter.cancel()
                await #expect(throws: (any Error).self) { try await waiter.value }
            }
            try await locking.withSessionLock(id, waitingUpTo: .seconds(60)) { _ in }
        },
    ]
}

/// Counts who is inside.
private final class Room: Sendable {
    private let state = Mutex((inside: 0, most: 0, entries: 0))

    var most: Int { state.withLock { $0.most } }
    var entries: Int { state.withLock { $0.entries } }

    func enter() {
        state.withLock {
            $0.inside += 1
            $0.entries += 1
            $0.most = max($0.most, $0.inside)
        }
    }

    func leave() {
        state.withLock { $0.inside -= 1 }
    }
}
