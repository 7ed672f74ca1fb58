/// Who a job or a timer belongs to, by a number that no later one gets: a virtual process, or the world of an episode; 0 is nobody.
typealias Owner = Int

/// Decides what happens next: one of the jobs that are ready, or the timer that is due first.
///
/// `@unchecked Sendable` here and in all of the simulated world: there is one thread, and nothing runs at the same time.
final class Scheduler: @unchecked Sendable {
    private struct Ready {
        let job: UnownedJob
        let owner: Owner
    }

    var random: SeededGenerator
    /// The time that never jumps.
    private(set) var now = Duration.zero
    /// Jobs that ran and timers that fired.
    private(set) var steps = 0
    /// Whose code runs.
    private(set) var owner: Owner = 0
    private var ready: [Ready] = []
    private var timers = TimerHeap()
    private var stopped: Set<Owner> = []
    private var dead: Set<Owner> = []
    /// What waits for a stopped owner to go on.
    private var heldJobs: [Owner: [UnownedJob]] = [:]
    private var heldTimers: [Owner: [() -> Void]] = [:]

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    // MARK: What is to be done

    /// Takes a job from the runtime; it belongs to whoever made it.
    func enqueue(_ job: UnownedJob) {
        guard !dead.contains(owner) else { return }
        ready.append(Ready(job: job, owner: owner))
    }

    /// Runs a body after a time, as an owner who may be dead or stopped by then.
    @discardableResult
    func after(_ delay: Duration, as owner: Owner, _ body: @escaping () -> Void) -> TimerHeap.Ticket {
        timers.add(at: now + max(delay, .zero), owner: owner, body)
    }

    func cancel(_ ticket: TimerHeap.Ticket) {
        timers.cancel(ticket)
    }

    /// Runs a body as an owner at once.
    func running(as owner: Owner, _ body: () -> Void) {
        let before = self.owner
        self.owner = owner
        body()
        self.owner = before
    }

    // MARK: Life and death

    /// Nothing of this owner runs any more.
    func kill(_ owner: Owner) {
        dead.insert(owner)
        stopped.remove(owner)
        heldJobs[owner] = nil
        heldTimers[owner] = nil
    }

    /// Holds everything of this owner back until it goes on.
    func stop(_ owner: Owner) {
        stopped.insert(owner)
    }

    func resume(_ owner: Owner) {
        guard stopped.remove(owner) != nil else { return }
        for job in heldJobs.removeValue(forKey: owner) ?? [] { ready.append(Ready(job: job, owner: owner)) }
        for body in heldTimers.removeValue(forKey: owner) ?? [] { after(.zero, as: owner, body) }
    }

    // MARK: Running

    /// Runs until the condition holds; false when nothing is left to do before.
    func run(until isDone: () -> Bool) -> Bool {
        while !isDone() {
            guard step() else { return false }
        }
        return true
    }

    private func step() -> Bool {
        // Time may pass while code is ready to run: a thread gets its turn late.
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
