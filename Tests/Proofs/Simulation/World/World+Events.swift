internal import FoundationEssentials
internal import IdentityKit
internal import TestDoubles

extension World {
    /// Performs an event and schedules the next one.
    func scheduleNextEvent() {
        let pause = scheduler.random.permille(300) ? 20...400 : 1_000...25_000
        scheduler.after(scheduler.random.milliseconds(pause), as: owner) { [self] in
            guard !isSettling else { return }
            performRandomEvent()
            scheduleNextEvent()
        }
    }

    private func performRandomEvent() {
        injectFaults()
        guard !running.isEmpty else { return }
        let process = scheduler.random.one(of: running)
        let living = subjects.filter { !$0.isReplaced && !$0.isLoggedOut }
        guard !living.isEmpty else { return addSubject() }
        let subject = scheduler.random.one(of: living)
        switch scheduler.random.below(1000) {
        case ..<100: call(process, subject, .refresh)
        case ..<120: for _ in 0..<(5 + scheduler.random.below(20)) { call(process, subject, .tokens(.seconds(60))) }
        case ..<150:
            for process in running { for _ in 0..<3 { call(process, subject, .tokens(.seconds(60))) } }
        case ..<190: cancelSomebody(in: process)
        case ..<200: call(process, subject, .logout)
        case ..<210: call(process, subject, .drain)
        case ..<230 where subjects.count < 60: addSubject()
        default: call(process, subject, .tokens(.seconds(scheduler.random.one(of: [0, 10, 60, 60, 60]))))
        }
    }

    private func injectFaults() {
        if scheduler.random.permille(faults.crash), let process = running.randomElement(using: &scheduler.random) {
            crash(process)
        }
        if scheduler.random.permille(faults.stop), let process = running.randomElement(using: &scheduler.random) {
            stop(process, for: scheduler.random.milliseconds(200...60_000))
        }
        if scheduler.random.permille(faults.clockJump) { jump() }
        if scheduler.random.permille(faults.outage) {
            outageUntil = scheduler.now + scheduler.random.milliseconds(5_000...400_000)
            note("outage until \(outageUntil.milliseconds)")
        }
        if scheduler.random.permille(faults.diskFull), !disk.isFull {
            disk.isFull = true
            note("the disk is full")
            scheduler.after(scheduler.random.milliseconds(1_000...90_000), as: owner) { [self] in
                disk.isFull = false
                note("the disk has space")
            }
        }
        if scheduler.random.permille(faults.storeOutage), !isStoreDown {
            tally.storeOutages += 1
            storeDownUntil = scheduler.now + scheduler.random.milliseconds(500...90_000)
            note("the store is down until \(storeDownUntil.milliseconds)")
        }
        if scheduler.random.permille(faults.revocation), let subject = subjects.randomElement(using: &scheduler.random)
        {
            server.revoke(subject.family, because: "revoked by the provider")
        }
    }

    /// Moves the wall clock and corrects it after a while.
    ///
    /// A clock that is ahead is corrected within half of the time by which it is ahead, and the correction ends an outage of the providers.
    /// Later, nothing would show that a response was received with a wrong time (Documentation/Operating/Refresh.md, "A stored response").
    private func jump() {
        let seconds = scheduler.random.one(of: [-86_400, -7200, -400, -30, 30, 400, 7200, 86_400])
        let longest = seconds > 0 ? min(seconds * 500, 900_000) : 900_000
        move(by: seconds)
        tally.clockJumps += 1
        scheduler.after(scheduler.random.milliseconds(5_000...longest), as: owner) { [self] in
            guard !isSettling else { return }
            if seconds > 0 { outageUntil = min(outageUntil, scheduler.now) }
            move(by: -seconds)
        }
    }

    private func move(by seconds: Int) {
        wallOffset += TimeInterval(seconds)
        if seconds < 0 { setBacks.append(scheduler.now) }
        note("the wall clock jumps by \(seconds) s")
    }

    private func cancelSomebody(in process: VirtualProcess) {
        guard let number = process.callers.keys.sorted().randomElement(using: &scheduler.random) else { return }
        note(process, "call \(number) is cancelled")
        scheduler.running(as: process.number) { process.callers[number]?.cancel() }
    }

    /// Starts a process, which repairs sessions first.
    func afterStart(_ process: VirtualProcess) {
        guard let manager = process.manager else { return }
        scheduler.running(as: process.number) {
            Task { await manager.maintain() }
        }
    }

    /// Ends all faults; then every session must be usable in every process, or must have ended for a known reason.
    func settle() {
        note("all faults end")
        isSettling = true
        faults = Episode.Faults()
        disk.isFull = false
        outageUntil = .zero
        storeDownUntil = .zero
        if wallOffset > 0 { setBacks.append(scheduler.now) }
        wallOffset = 0
        if lateKeyAt != nil { lateKeyAt = scheduler.now }
        for case let process? in slots { resume(process) }
        for slot in slots.indices where slots[slot] == nil { start(slot) }
        let rest = scheduler.now + .seconds(150)
        scheduler.after(.seconds(150), as: owner) {}
        _ = scheduler.run { scheduler.now >= rest || violation != nil }
        let open = Countdown()
        for subject in subjects where !subject.isReplaced && !subject.isLoggedOut {
            for (index, process) in running.enumerated() {
                open.count += 1
                ask(
                    process,
                    subject,
                    index == 0 ? .refresh : .tokens(.seconds(60)),
                    until: scheduler.now + .seconds(900)
                ) {
                    open.count -= 1
                }
            }
        }
        _ = scheduler.run { open.count == 0 || violation != nil }
        for (process, subject) in zip(running, subjects) { call(process, subject, .drain) }
        _ = scheduler.run { running.allSatisfy(\.callers.isEmpty) || violation != nil }
        if violation == nil { checkRows() }
    }

    /// Repeats a call until its result is not `retryLater`.
    private func ask(
        _ process: VirtualProcess,
        _ subject: Subject,
        _ request: Request,
        until end: Duration,
        _ done: @escaping @Sendable () -> Void
    ) {
        call(process, subject, request) { [self] answer in
            guard case .later(let error) = answer else { return done() }
            guard scheduler.now < end else {
                return violate("\(name(subject.id)) is not usable after all faults ended: \(error)")
            }
            scheduler.after(.seconds(10), as: owner) { [self] in ask(process, subject, request, until: end, done) }
        }
    }
}

private final class Countdown: @unchecked Sendable {
    var count = 0
}
