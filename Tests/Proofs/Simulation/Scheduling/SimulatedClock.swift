internal import FoundationEssentials
internal import IdentityKit

/// The clock of one virtual process: the world's time, and a wall clock that operators move.
final class SimulatedClock: IdentityClock, @unchecked Sendable {
    private let world: World
    private let owner: Owner
    /// How far this machine's wall clock is from the others'.
    private let skew: Duration

    init(_ world: World, owner: Owner, skew: Duration) {
        self.world = world
        self.owner = owner
        self.skew = skew
    }

    var now: Date { world.date + (skew / .seconds(1)) }

    var elapsed: Duration { world.scheduler.now }

    func sleep(for duration: Duration) async throws {
        try await world.sleep(duration, as: owner)
    }
}

extension World {
    /// The time by the wall clock, wherever that was moved.
    var date: Date { trueDate + wallOffset }

    /// The time by a clock that was never moved: the providers'.
    var trueDate: Date { Date(timeIntervalSince1970: 1_790_000_000 + scheduler.now / .seconds(1)) }

    /// Waits, as an owner; a cancelled task waits no longer.
    func sleep(_ duration: Duration, as owner: Owner) async throws {
        let sleeper = Sleeper()
        try await withTaskCancellationHandler {
            try await unsafe withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
                if Task.isCancelled { return unsafe continuation.resume(throwing: CancellationError()) }
                unsafe sleeper.continuation = continuation
                sleeper.ticket = scheduler.after(duration, as: owner) {
                    unsafe sleeper.continuation.take()?.resume()
                }
            }
        } onCancel: {
            guard let continuation = unsafe sleeper.continuation.take() else { return }
            if let ticket = sleeper.ticket { scheduler.cancel(ticket) }
            unsafe continuation.resume(throwing: CancellationError())
        }
    }

    /// Waits, cancelled or not.
    func pause(_ duration: Duration, as owner: Owner) async {
        await unsafe withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            scheduler.after(duration, as: owner) { unsafe continuation.resume() }
        }
    }

    /// Where the code of a process that has died stays.
    func stayDead() async {
        await unsafe withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
}

/// Somebody who waits.
@safe private final class Sleeper: @unchecked Sendable {
    var continuation: UnsafeContinuation<Void, any Error>?
    var ticket: TimerHeap.Ticket?
}
