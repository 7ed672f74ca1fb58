import IdentityKit
import IdentityTesting
import Synchronization
import Testing

@Suite("Locks in memory", .timeLimit(.minutes(1)))
struct InMemoryLocksTests {
    private static let id = SessionID(rawValue: "AAAAAAAAAAAAAAAAAAAAAA")

    @Test("waiters get the lock in order, and a cancelled waiter does not block the others")
    func order() async throws {
        let locks = InMemoryLocks()
        let id = try #require(Self.id)
        let served = Served()
        let tasks = try await locks.withLock(.session(id), waitingUpTo: .zero) { _ in
            var waiting: [Task<Void, any Error>] = []
            for number in 0..<20 {
                waiting.append(
                    Task {
                        try await locks.withLock(.session(id), waitingUpTo: .seconds(60)) { _ in
                            served.add(number)
                        }
                    }
                )
                while locks.waiting(for: .session(id)) <= number { await Task.yield() }
            }
            for number in [3, 0, 19] {
                waiting[number].cancel()
                let error = await #expect(throws: IdentityError.self) { try await waiting[number].value }
                #expect(error?.kind == .cancelled)
            }
            #expect(locks.waiting(for: .session(id)) == 17)
            return waiting
        }
        for task in tasks { _ = try? await task.value }
        #expect(served.order == (0..<20).filter { ![3, 0, 19].contains($0) })
        #expect(locks.waiting(for: .session(id)) == 0)
    }

    @Test("names that are equal only by Unicode canonical equivalence have different locks")
    func canonicalEquivalence() async throws {
        let locks = InMemoryLocks()
        // U+212A KELVIN SIGN equals "K" by `==` of `String`.
        try await locks.withLock(.object("K"), waitingUpTo: .zero) { _ in
            try await locks.withLock(.object("\u{212A}"), waitingUpTo: .zero) { _ in }
        }
    }

    @Test("waiting for a lock times out by the injected clock, and not before")
    func limit() async throws {
        let clock = ManualClock()
        let locks = InMemoryLocks(clock: clock)
        let id = try #require(Self.id)
        try await locks.withLock(.session(id), waitingUpTo: .zero) { _ in
            let waiter = Task { try await locks.withLock(.session(id), waitingUpTo: .seconds(15)) { _ in } }
            while locks.waiting(for: .session(id)) == 0 { await Task.yield() }
            clock.advance(by: .seconds(14))
            for _ in 0..<50 { await Task.yield() }
            #expect(locks.waiting(for: .session(id)) == 1)
            let error = await #expect(throws: IdentityError.self) {
                while locks.waiting(for: .session(id)) == 1 {
                    clock.advance(by: .seconds(1))
                    await Task.yield()
                }
                try await waiter.value
            }
            #expect(error?.code == .refreshBusy)
        }
    }

    @Test("a limit of the longest possible time means no limit")
    func longestLimit() async throws {
        let locks = InMemoryLocks()
        let id = try #require(Self.id)
        let waiter = try await locks.withLock(.session(id), waitingUpTo: .zero) { _ in
            let waiter = Task { try await locks.withLock(.session(id), waitingUpTo: .seconds(Int64.max)) { _ in } }
            while locks.waiting(for: .session(id)) == 0 { await Task.yield() }
            for _ in 0..<50 { await Task.yield() }
            return waiter
        }
        try await waiter.value
    }
}

private final class Served: Sendable {
    private let numbers = Mutex<[Int]>([])
    var order: [Int] { numbers.withLock { $0 } }

    func add(_ number: Int) {
        numbers.withLock { $0.append(number) }
    }
}
