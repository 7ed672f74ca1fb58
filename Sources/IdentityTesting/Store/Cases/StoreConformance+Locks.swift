internal import FoundationEssentials
internal import IdentityKit
internal import Synchronization
internal import Testing

extension StoreConformance {
    package static let lockCases: [Case] = [
        Case("two holders of one session's lock never run at the same time") { store in
            let id = try StoreSample.id()
            let room = Room(of: 8)
            try await concurrently(8) { _ in try await room.visit(.session(id), of: store) }
            #expect(room.most == 1)
            #expect(room.entries == 8)
        },
        Case("each kind of lock has one holder at a time: session, attachment and object") { store in
            for name in lockOfEachKind(try StoreSample.id()) {
                try await store.withLock(name, waitingUpTo: .zero) { _ in await expectBusy(name, in: store) }
                let room = Room(of: 4)
                try await concurrently(4) { _ in try await room.visit(name, of: store) }
                #expect(room.most == 1)
                #expect(room.entries == 4)
            }
        },
        Case("locks with different names do not wait for each other, also in one task") { store in
            let id = try StoreSample.id()
            // A cart operation may hold the lock "cart" while it takes the lock "cart recreation", and a refresh of the same
            // session may hold the session's lock.
            let names =
                lockOfEachKind(id) + [
                    .attachment("cart recreation", of: id), .attachment("cart", of: try StoreSample.id()),
                    .object(id.rawValue),
                ]
            for name in names {
                try await store.withLock(name, waitingUpTo: .zero) { _ in
                    for other in names where other != name {
                        try await Task { try await store.withLock(other, waitingUpTo: .zero) { _ in } }.value
                    }
                }
            }
            try await holding(names[...], in: store) {
                for name in names { await expectBusy(name, in: store) }
            }
        },
        Case("different sessions do not wait for each other, and the store works inside a lock") { store in
            let session = try StoreSample.session()
            let other = try StoreSample.id()
            let result = try await store.withLock(.session(session.id), waitingUpTo: .zero) { _ in
                try await store.withLock(.session(other), waitingUpTo: .zero) { _ in
                    try await store.insert(session)
                    return try await store.session(session.id)?.payload.reveal()
                }
            }
            #expect(result == "tokens")
        },
        Case("the body's lock reports that it is held, and the caller gets the body's result") { store in
            let id = try StoreSample.id()
            let isHeld = try await store.withLock(.session(id), waitingUpTo: .zero) { lock in
                await Task.yield()
                return lock.isHeld
            }
            #expect(isHeld)
        },
        Case("a lock that does not become free in time fails with refresh_busy, and the body does not run") { store in
            let id = try StoreSample.id()
            try await store.withLock(.session(id), waitingUpTo: .zero) { _ in
                for limit in [Duration.zero, .seconds(-1), .milliseconds(30)] {
                    await expectBusy(.session(id), in: store, waitingUpTo: limit)
                }
            }
        },
        Case("a lock that was not free can be acquired after its holder has released it") { store in
            let id = try StoreSample.id()
            try await store.withLock(.session(id), waitingUpTo: .zero) { _ in
                await expectBusy(.session(id), in: store)
            }
            for _ in 0..<3 { try await store.withLock(.session(id), waitingUpTo: .zero) { _ in } }
        },
        Case("a body that throws passes its error on and releases the lock") { store in
            struct Failure: Error {}
            let id = try StoreSample.id()
            await #expect(throws: Failure.self) {
                try await store.withLock(.session(id), waitingUpTo: .zero) { _ in throw Failure() }
            }
            try await store.withLock(.session(id), waitingUpTo: .zero) { _ in }
        },
        Case("a holder that is cancelled releases the lock when its body ends") { store in
            let id = try StoreSample.id()
            let (entries, entered) = AsyncStream.makeStream(of: Void.self)
            let holder = Task {
                defer { entered.finish() }
                try await store.withLock(.session(id), waitingUpTo: .zero) { _ in
                    entered.yield()
                    while !Task.isCancelled { await Task.yield() }
                    // A cancelled holder still holds the lock.
                    await expectBusy(.session(id), in: store)
                }
            }
            let isEntered = await entries.first { _ in true } != nil
            holder.cancel()
            // The store may report the cancellation after the body has ended.
            _ = try? await holder.value
            #expect(isEntered, "The holder did not get the free lock.")
            try await store.withLock(.session(id), waitingUpTo: .seconds(60)) { _ in }
        },
        Case("a waiter that is cancelled stops waiting, and the lock is free afterwards") { store in
            let id = try StoreSample.id()
            try await store.withLock(.session(id), waitingUpTo: .zero) { _ in
                let start = ContinuousClock.now
                let waiter = Task {
                    try await store.withLock(.session(id), waitingUpTo: .seconds(120)) { _ in
                        _ = Issue.record("the body ran")
                    }
                }
                waiter.cancel()
                await #expect(throws: (any Error).self) { try await waiter.value }
                #expect(ContinuousClock.now - start < .seconds(110), "the cancelled task waited until its limit")
            }
            try await store.withLock(.session(id), waitingUpTo: .seconds(60)) { _ in }
        },
        Case("a saved, a removed and an unknown session can be locked") { store in
            let saved = try await StoreSample.inserted(in: store)
            let removed = try await StoreSample.inserted(in: store)
            _ = try await store.remove(removed.id)
            for id in [saved.id, removed.id, try StoreSample.id()] {
                try await store.withLock(.session(id), waitingUpTo: .zero) { _ in }
            }
            #expect(StoreSample.areSame(try await store.session(saved.id), saved))
        },
    ]

    package static let lockQueueCases: [Case] = [
        Case("100 tasks get one session's lock, one after another") { store in
            let id = try StoreSample.id()
            let room = Room(of: 100)
            try await concurrently(100) { _ in try await room.visit(.session(id), of: store) }
            #expect(room.most == 1)
            #expect(room.entries == 100)
        },
        Case("tasks that acquire the lock again and again do not starve others") { store in
            let id = try StoreSample.id()
            let room = Room(of: 6)
            try await concurrently(6) { _ in
                for _ in 0..<6 { try await room.visit(.session(id), of: store) }
            }
            #expect(room.most == 1)
            #expect(room.entries == 36)
        },
        Case("a waiter that gives up does not delay the others") { store in
            let id = try StoreSample.id()
            let room = Room(of: 4)
            try await store.withLock(.session(id), waitingUpTo: .zero) { _ in
                let waiters = [Duration.milliseconds(20), .seconds(600)].map { limit in
                    Task {
                        try await store.withLock(.session(id), waitingUpTo: limit) { _ in
                            _ = Issue.record("the body ran")
                        }
                    }
                }
                _ = try? await waiters[0].value
                waiters[1].cancel()
                _ = try? await waiters[1].value
            }
            try await concurrently(4) { _ in try await room.visit(.session(id), of: store) }
            #expect(room.entries == 4)
        },
        Case("40 concurrent locks of different sessions are independent") { store in
            let ids = try (0..<40).map { _ in try StoreSample.id() }
            let rooms = ids.map { _ in Room(of: 2) }
            try await concurrently(80) { number in
                let index = number % 40
                try await rooms[index].visit(.session(ids[index]), of: store)
            }
            #expect(rooms.allSatisfy { $0.most == 1 && $0.entries == 2 })
        },
        Case("a lock that one store holds excludes another store on the same data", needing: [.reopening]) { place in
            let one = try await place.open()
            let other = try await place.open()
            let session = try await StoreSample.inserted(in: one)
            let room = Room(of: 12)
            for name in lockOfEachKind(session.id) {
                try await one.withLock(name, waitingUpTo: .zero) { _ in await expectBusy(name, in: other) }
            }
            // Each holder must read what the previous holder saved. Tasks that wait for the lock must not use up the store's connections,
            // because the holder needs one.
            try await concurrently(12) { number in
                let locking = number.isMultiple(of: 2) ? one : other
                try await room.visit(.session(session.id), of: locking) {
                    let found = try #require(try await locking.session(session.id))
                    #expect(try await locking.replace(found.successor(Secret("x")), expecting: found.generation))
                }
            }
            #expect(room.most == 1)
            #expect(try await one.session(session.id)?.generation == session.generation + 12)
        },
    ]

    /// Expects that a new task cannot take the lock; a store may permit the task that holds the lock to take it again.
    private static func expectBusy(
        _ name: LockName,
        in store: any SessionStore,
        waitingUpTo limit: Duration = .zero,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let error = await expectTyped(.refreshBusy, sourceLocation: sourceLocation) {
            try await Task {
                try await store.withLock(name, waitingUpTo: limit) { _ in _ = Issue.record("the body ran") }
            }.value
        }
        #expect(error?.kind == .retryLater, sourceLocation: sourceLocation)
    }

    /// Runs the body while this task holds all the locks; each lock must be free.
    private static func holding(
        _ names: ArraySlice<LockName>,
        in store: any SessionStore,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        guard let name = names.first else { return try await body() }
        try await store.withLock(name, waitingUpTo: .zero) { _ in
            try await holding(names.dropFirst(), in: store, body)
        }
    }

    private static func lockOfEachKind(_ id: SessionID) -> [LockName] {
        [.session(id), .attachment("cart", of: id), .object("gid://shopify/Cart/\(id.rawValue)")]
    }
}

/// Counts the tasks that hold a lock at the same time, and how often the lock was acquired.
private final class Room: Sendable {
    private let state = Mutex((inside: 0, most: 0, entries: 0))
    private let visitors: Meeting

    init(of visitors: Int) { self.visitors = Meeting(of: visitors) }

    var most: Int { state.withLock { $0.most } }
    var entries: Int { state.withLock { $0.entries } }

    /// Holds the lock until all visitors have asked for it, so that a store that lets several of them in is always detected.
    func visit(
        _ name: LockName,
        of store: any SessionStore,
        _ body: @Sendable () async throws -> Void = {}
    ) async throws {
        visitors.arrive()
        try await store.withLock(name, waitingUpTo: .seconds(600)) { _ in
            state.withLock {
                $0.inside += 1
                $0.entries += 1
                $0.most = max($0.most, $0.inside)
            }
            await visitors.waitForAll()
            for _ in 0..<20 { await Task.yield() }
            state.withLock { $0.inside -= 1 }
            try await body()
        }
    }
}
