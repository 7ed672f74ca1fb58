internal import FoundationEssentials
internal import IdentityKit

/// One episode: processes, their shared disk and locks, the providers and the faults.
final class World: @unchecked Sendable {
    let scheduler: Scheduler
    /// The owner of events that belong to no process.
    let owner: Owner
    let episode: Episode
    let history: History
    let mutant: Mutant
    let mint: TokenMint
    var tally: Tally
    private(set) lazy var disk = Disk(self)
    private(set) lazy var locks = SessionLocks(self)
    private(set) lazy var server = AuthorizationServer(self)
    var subjects: [Subject] = []
    var byID: [SessionID: Subject] = [:]
    /// The running process of each machine; nil while it has none.
    var slots: [VirtualProcess?] = []
    /// Whether the episode is ending, so that no new events begin.
    var isSettling = false
    var wallOffset: TimeInterval = 0
    var setBacks: [Duration] = []
    var faults: Episode.Faults
    var outageUntil = Duration.zero
    var storeDownUntil = Duration.zero
    /// When the provider publishes the keys with which it signs already.
    var lateKeyAt: Duration?
    var lastCall = 0
    private(set) var violation: String?
    /// The number of the next process, unique in a run.
    var nextOwner: Owner

    init(_ run: Run, _ episode: Episode) {
        scheduler = run.scheduler
        history = run.history
        tally = run.tally
        mutant = run.mutant
        mint = run.mint
        owner = run.nextOwner
        nextOwner = run.nextOwner + 1
        self.episode = episode
        faults = episode.faults
    }

    /// The offsets of the machines' wall clocks.
    func skew(ofSlot slot: Int) -> Duration {
        episode.profile == .noFaults ? .zero : .milliseconds(slot * 700)
    }

    func note(_ text: String) {
        history.note("\(scheduler.steps) \(scheduler.now.milliseconds) - \(text)")
    }

    func note(_ process: VirtualProcess, _ text: String) {
        history.note("\(scheduler.steps) \(scheduler.now.milliseconds) p\(process.number) \(text)")
    }

    /// Records a violated rule, which ends the run.
    func violate(_ text: String) {
        guard violation == nil else { return }
        violation = text
        note("VIOLATION: \(text)")
    }

    // MARK: Running an episode

    /// Runs the episode for about this many steps, then ends all faults and requests the tokens of every session.
    func run(steps: Int) throws {
        note("episode: \(episode)")
        for _ in 0..<episode.sessions { addSubject() }
        slots = Array(repeating: nil, count: episode.processes)
        for slot in slots.indices { start(slot) }
        scheduleNextEvent()
        let end = scheduler.steps + steps
        _ = scheduler.run { scheduler.steps >= end || violation != nil }
        if violation == nil { settle() }
        for case let process? in slots { scheduler.kill(process.number) }
        scheduler.kill(owner)
        tally.episodes += 1
    }

    func start(_ slot: Int) {
        let process = VirtualProcess(number: nextOwner, slot: slot)
        nextOwner += 1
        note(process, "starts")
        do { try process.start(in: self) } catch { return violate("A process cannot start: \(error)") }
        slots[slot] = process
        afterStart(process)
    }

    func crash(_ process: VirtualProcess) {
        guard !process.hasCrashed else { return }
        process.hasCrashed = true
        tally.crashes += 1
        note(process, "crashes")
        server.processCrashed(process)
        locks.processCrashed(process)
        scheduler.kill(process.number)
        slots[process.slot] = nil
        let pause =
            episode.profile == .quickRepair
            ? scheduler.random.milliseconds(100...2000) : scheduler.random.milliseconds(100...40_000)
        scheduler.after(pause, as: owner) { [self] in if slots[process.slot] == nil { start(process.slot) } }
    }

    func stop(_ process: VirtualProcess, for duration: Duration) {
        guard !process.hasCrashed, !process.isStopped else { return }
        process.isStopped = true
        process.stoppedAt = scheduler.now
        tally.stops += 1
        note(process, "is stopped for \(duration)")
        scheduler.stop(process.number)
        scheduler.after(duration, as: owner) { [self] in resume(process) }
    }

    func resume(_ process: VirtualProcess) {
        guard !process.hasCrashed, process.isStopped else { return }
        process.isStopped = false
        process.resumed(at: scheduler.now)
        note(process, "is resumed")
        scheduler.resume(process.number)
    }

    var isStoreDown: Bool { scheduler.now < storeDownUntil }

    var hasPublishedLateKey: Bool { lateKeyAt.map { scheduler.now >= $0 } ?? false }

    /// Makes a provider sign with a key that it publishes some minutes later.
    func announceLateKey() {
        if lateKeyAt == nil { lateKeyAt = scheduler.now + scheduler.random.milliseconds(60_000...900_000) }
    }

    var running: [VirtualProcess] { slots.compactMap { $0 }.filter { !$0.isStopped } }
}

extension Duration {
    var milliseconds: Int { Int(self / .milliseconds(1)) }
}
