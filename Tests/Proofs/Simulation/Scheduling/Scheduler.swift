internal import TestDoubles

/// The owner of a job or timer, as a number that is never reused: a virtual process or the world of an episode; 0 means no owner.
typealias Owner = Int

/// Chooses the next step: one of the ready jobs, or the timer that is due first.
///
/// `@unchecked Sendable` here and in the whole simulated world is safe, because there is only one thread.
final class Scheduler: @unchecked Sendable {
    private struct Ready {
        let job: UnownedJob
        let owner: Owner
    }

    var random: SeededGenerator
    private(set) var now = Duration.zero
    /// The number of executed jobs and fired timers.
    private(set) var steps = 0
    private(set) var owner: Owner = 0
    private var ready: [Ready] = []
    private var timers = TimerHeap()
    private var stopped: Set<Owner> = []
    private var dead: Set<Owner> = []
    /// The jobs and timers of stopped owners.
    private var heldJobs: [Owner: [UnownedJob]] = [:]
    private var heldTimers: [Owner: [() -> Void]] = [:]

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    // MARK: Adding work

    /// Adds a job of the runtime; the job belongs to the owner that created it.
    func enqueue(_ job: UnownedJob) {
        guard !dead.contains(owner) else { return }
        ready.append(Ready(job: job, owner: owner))
    }

    /// Runs a body after a delay, unless the owner has ended by then; a stopped owner runs the body when the owner is resumed.
    @discardableResult
    func after(_ delay: Duration, as owner: Owner, _ body: @escaping () -> Void) -> TimerHeap.Ticket {
        timers.add(at: now + max(delay, .zero), owner: owner, body)
    }

    func cancel(_ ticket: TimerHeap.Ticket) {
        timers.cancel(ticket)
    }

    func running(as owner: Owner, _ body: () -> Void) {
        let before = self.owner
        self.owner = owner
        body()
        self.owner = before
    }

    // MARK: Ending and stopping owners

    /// Drops all work of an owner.
    func kill(_ owner: Owner) {
        dead.insert(owner)
        stopped.remove(owner)
        heldJobs[owner] = nil
        heldTimers[owner] = nil
    }

    /// Holds all work of an owner until it is resumed.
    func stop(_ owner: Owner) {
        stopped.insert(owner)
    }

    func resume(_ owner: Owner) {
        guard stopped.remove(owner) != nil else { return }
        for job in heldJobs.removeValue(forKey: owner) ?? [] { ready.append(Ready(job: job, owner: owner)) }
        for body in heldTimers.removeValue(forKey: owner) ?? [] { after(.zero, as: owner, body) }
    }

    // MARK: Running

    /// Runs until the condition holds; false if no work is left before.
    func run(until isDone: () -> Bool) -> Bool {
        while !isDone() {
            guard step() else { return false }
        }
        return true
    }

    private func step() -> Bool {
        // Time may pass while jobs are ready, as if a thread were scheduled late.
        let passes = !ready.isEmpty && random.permille(30) && timers.next.map { $0 - now < .seconds(2) } ?? false
        guard ready.isEmpty || passes else {
            runOne()
            return true
        }
        return fireOne()
    }

    private func runOne() {
        let index = random.below(ready.count)
        ready.swapAt(index, ready.count - 1)
        let next = ready.removeLast()
        guard !dead.contains(next.owner) else { return }
        if stopped.contains(next.owner) {
            heldJobs[next.owner, default: []].append(next.job)
            return
        }
        steps += 1
        owner = next.owner
        RuntimeHooks.run(next.job)
        owner = 0
    }

    private func fireOne() -> Bool {
        guard let timer = timers.removeFirst() else { return false }
        now = max(now, timer.time)
        guard !dead.contains(timer.owner) else { return true }
        if stopped.contains(timer.owner) {
            heldTimers[timer.owner, default: []].append(timer.body)
            return true
        }
        steps += 1
        running(as: timer.owner, timer.body)
        return true
    }
}
