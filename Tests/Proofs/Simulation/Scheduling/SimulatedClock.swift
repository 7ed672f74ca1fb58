internal import FoundationEssentials
internal import IdentityKit

/// The clock of one virtual process: the world's monotonic time, and a wall clock that the simulation moves.
final class SimulatedClock: IdentityClock, @unchecked Sendable {
    private let world: World
    private let owner: Owner
    /// The offset of this machine's wall clock.
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
    var date: Date { trueDate + wallOffset }

    /// The time of a correct clock, which the providers use.
    var trueDate: Date { Date(timeIntervalSince1970: 1_790_000_000 + scheduler.now / .seconds(1)) }

    /// Waits on behalf of an owner; ends when the task is cancelled.
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

    /// Waits, also in a cancelled task.
    func pause(_ duration: Duration, as owner: Owner) async {
        await unsafe withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            scheduler.after(duration, as: owner) { unsafe continuation.resume() }
        }
    }

    /// Suspends the code of a crashed process for ever.
    func stayDead() async {
        await unsafe withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
}

@safe private final class Sleeper: @unchecked Sendable {
    var continuation: UnsafeContinuation<Void, any Error>?
    var ticket: TimerHeap.Ticket?
}
