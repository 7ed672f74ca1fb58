internal import FoundationEssentials
internal import IdentityKit

enum Request {
    case tokens(Duration)
    case refresh
    case logout
    case drain
}

enum Answer {
    case tokens
    case ended
    case later(String)
    case other
}

extension World {
    /// The longest permitted duration of a call: a lock, two exchanges, and a slow disk in between.
    private static let maximumDuration = Duration.seconds(150)

    /// Makes a call in a task of a process; it must end in time unless the process crashes or is stopped.
    func call(
        _ process: VirtualProcess,
        _ subject: Subject,
        _ request: Request,
        then done: (@Sendable (Answer) -> Void)? = nil
    ) {
        guard let manager = process.manager else { return }
        lastCall += 1
        tally.callers += 1
        let number = lastCall
        let started = scheduler.now
        note(process, "call \(number) \(name(subject.id)): \(request)")
        if case .refresh = request { subject.lastForcedRefresh = started }
        if case .logout = request { subject.isLoggedOut = true }
        scheduler.running(as: process.number) {
            process.callers[number] = Task { [self] in
                let answer: Answer
                do {
                    switch request {
                    case .tokens(let duration):
                        let got = try await manager.tokens(for: subject.id, validFor: duration)
                        check(got, for: subject, in: process, since: started, inCall: number)
                        answer = .tokens
                    case .refresh:
                        let got = try await manager.refreshTokens(for: subject.id)
                        check(got, for: subject, in: process, since: nil, inCall: number)
                        answer = .tokens
                    case .logout:
                        _ = try await manager.logout(subject.id)
                        tally.logouts += 1
                        note(process, "call \(number) logged out")
                        answer = .other
                    case .drain:
                        await manager.drain()
                        note(process, "call \(number) drained")
                        answer = .other
                    }
                } catch {
                    answer = classify(IdentityError.wrapping(error), number, subject, request, in: process)
                }
                process.callers[number] = nil
                tally.answered += 1
                if let done { scheduler.after(.zero, as: owner) { done(answer) } }
            }
        }
        watch(process, number, since: started)
    }

    private func watch(_ process: VirtualProcess, _ number: Int, since started: Duration) {
        scheduler.after(Self.maximumDuration, as: owner) { [self] in
            guard process.callers[number] != nil, !process.hasCrashed else { return }
            // The time limit of a stopped process starts when it is resumed.
            guard !process.wasStopped(since: started) else {
                return watch(process, number, since: process.isStopped ? started : scheduler.now)
            }
            violate("call \(number) of p\(process.number) hangs since \(started.milliseconds)")
        }
    }

    private func classify(
        _ error: IdentityError,
        _ number: Int,
        _ subject: Subject,
        _ request: Request,
        in process: VirtualProcess
    ) -> Answer {
        note(process, "call \(number) failed: \(error.kind.rawValue) \(error.code.rawValue)")
        guard error.kind == .signInAgain else {
            if case .logout = request, !process.hasCrashed { subject.isLoggedOut = disk.rows[subject.id] == nil }
            tally.unavailable += 1
            return .later("\(error)")
        }
        checkEnd(of: subject, error)
        return .ended
    }
}
