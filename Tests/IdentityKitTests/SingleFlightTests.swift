import IdentityKit
import IdentityTesting
import Synchronization
import Testing

@Suite("Single flight")
struct SingleFlightTests {
    private struct Failure: Error {}

    @Test(
        "a cancelled caller does not end the operation, other keys have their own, and the next call starts a new one"
    )
    func sharing() async throws {
        let flights = SingleFlight<String, Int>()
        let runs = Mutex(0)
        let (released, release) = AsyncStream<Void>.makeStream()
        let first = Task {
            try await flights.run("a") {
                runs.withLock { $0 += 1 }
                for await _ in released {}
                throw Failure()
            }.result.get()
        }
        while runs.withLock({ $0 }) == 0 { await Task.yield() }
        let second = Task { try await flights.run("a") { 2 }.result.get() }
        let other = await flights.run("b") { 3 }
        #expect(try other.result.get() == 3)
        second.cancel()
        let cancellation = await #expect(throws: IdentityError.self) { _ = try await second.value }
        #expect(cancellation?.kind == .cancelled)
        release.finish()
        await #expect(throws: Failure.self) { _ = try await first.value }
        #expect(try await flights.run("a") { 4 }.result.get() == 4)
        #expect(runs.withLock { $0 } == 1)
    }

    @Test("callers of an operation that does not end get the timeout error, and the operation is not started twice")
    func neverEnds() async throws {
        let clock = ManualClock()
        let flights = SingleFlight<String, Int>(waitingUpTo: .seconds(90), on: clock, error: Failure())
        let (released, release) = AsyncStream<Void>.makeStream()
        let first = Task {
            try await flights.run("a") {
                for await _ in released {}
                return 1
            }.result.get()
        }
        let hasEnded = Mutex(false)
        let watcher = Task {
            _ = await first.result
            hasEnded.withLock { $0 = true }
        }
        while !hasEnded.withLock({ $0 }) {
            clock.advance(by: .seconds(90))
            await Task.yield()
        }
        await #expect(throws: Failure.self) { _ = try await first.value }
        await #expect(throws: Failure.self) { _ = try await flights.run("a") { 2 }.result.get() }
        await flights.drain()
        await watcher.value
        release.finish()
        while flights.isUnderWay("a") { await Task.yield() }
        #expect(try await flights.run("a") { 3 }.result.get() == 3)
    }

    private final class Tally: Sendable {
        struct Counts {
            var values = 0
            var cancellations = 0
            var others = 0
            var overlaps = 0
            var running: [Int: Int] = [:]
        }

        private let counts = Mutex(Counts())
        var current: Counts { counts.withLock { $0 } }
        func note(_ change: (inout Counts) -> Void) { counts.withLock { change(&$0) } }
    }

    @Test("each of ten thousand callers, a third of them cancelled, ends once, and no key has two operations at a time")
    func storm() async throws {
        let flights = SingleFlight<Int, Int>()
        let random = SeededRandom(seed: 7)
        let tally = Tally()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<10_000 {
                let dice = (try? random.bytes(4)) ?? [0, 0, 0, 0]
                let task = Task { await caller(flights, dice, tally) }
                group.addTask {
                    for _ in 0..<(dice[3] % 6) { await Task.yield() }
                    if number % 3 == 0 { task.cancel() }
                    await task.value
                }
            }
        }
        await flights.drain()
        let counts = tally.current
        #expect(counts.values + counts.cancellations == 10_000)
        #expect(counts.values >= 6_666)
        #expect(counts.others == 0)
        #expect(counts.overlaps == 0)
    }

    private func caller(_ flights: SingleFlight<Int, Int>, _ dice: [UInt8], _ tally: Tally) async {
        let key = Int(dice[0] % 8)
        for _ in 0..<(dice[1] % 4) { await Task.yield() }
        do {
            let answer = try await flights.run(key) {
                tally.note { counts in
                    counts.running[key, default: 0] += 1
                    if counts.running[key] != 1 { counts.overlaps += 1 }
                }
                for _ in 0..<(dice[2] % 8) { await Task.yield() }
                let isCancelled = Task.isCancelled
                tally.note { counts in
                    counts.running[key, default: 0] -= 1
                    if isCancelled { counts.others += 1 }
                }
                return key
            }.result.get()
            tally.note { if answer == key { $0.values += 1 } else { $0.others += 1 } }
        } catch let error as IdentityError where error.kind == .cancelled {
            tally.note { $0.cancellations += 1 }
        } catch {
            tally.note { $0.others += 1 }
        }
    }

    @Test("drain waits for running operations, and returns when it is cancelled")
    func drain() async throws {
        let flights = SingleFlight<String, Int>()
        let (released, release) = AsyncStream<Void>.makeStream()
        let done = Mutex(false)
        flights.start("a") {
            for await _ in released {}
            done.withLock { $0 = true }
            return 1
        }
        let impatient = Task { await flights.drain() }
        impatient.cancel()
        await impatient.value
        #expect(!done.withLock { $0 })
        release.finish()
        await flights.drain()
        #expect(done.withLock { $0 })
    }
}
