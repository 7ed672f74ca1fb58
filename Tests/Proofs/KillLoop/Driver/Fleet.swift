internal import Foundation
internal import Glibc
internal import Synchronization

final class Fleet: Sendable {
    private struct State {
        var running: [ChildProcess] = []
        /// The processes that are stopped for longer than others wait, by their numbers in the ledger.
        var asleep: Set<Int32> = []
        var ledger = Ledger()
        /// How long the last process needed until it requested tokens; nil before the first one does.
        var startTime: Duration?
    }

    /// A process that is stopped for at least this time may lose its leases.
    private static let patience = Duration.seconds(8)

    private let order: String
    private let state = Mutex(State())

    init(_ order: String) {
        self.order = order
    }

    var ledger: Ledger { state.withLock { $0.ledger } }
    /// How long the last process needed until it requested tokens; nil before the first one does.
    var startTime: Duration? { state.withLock { $0.startTime } }
    /// Whether a process ended without a kill.
    var hasEndedProcess: Bool { state.withLock { $0.running.contains(where: \.hasEnded) } }

    func start() throws {
        // Lines are identified by our own number, because the system may reuse a process id.
        let number = Int32.random(in: 1 ... .max)
        let started = ContinuousClock.now
        let process = try ChildProcess(["work"], order) { [self] line in
            state.withLock { state in
                if line == Worker.beginning { state.startTime = ContinuousClock.now - started }
                state.ledger.heard(line, from: number)
            }
        }
        state.withLock { state in
            state.running.append(process)
            numbers.withLock { $0[process.identifier] = number }
        }
    }

    private let numbers = Mutex<[Int32: Int32]>([:])

    /// Kills a process, reads its remaining output and starts another.
    ///
    /// A process that ended before the kill is a violation, and does not count as killed.
    func killOne() async throws {
        let process = state.withLock { state -> ChildProcess? in
            guard let index = state.running.indices.randomElement() else { return nil }
            return state.running.remove(at: index)
        }
        guard let process else { return }
        let time = MonotonicTime.now
        process.signal(SIGKILL)
        let status = await process.end()
        let number = numbers.withLock { $0.removeValue(forKey: process.identifier) }
        state.withLock { state in
            if status == 128 + SIGKILL {
                state.ledger.killed(number ?? 0, at: time)
            } else {
                state.ledger.found("a process ended with status \(status) before it was killed")
            }
        }
        try start()
    }

    /// Stops a process for a while; it keeps its kernel locks.
    func stopOne(for duration: Duration) {
        guard let process = state.withLock({ $0.running.randomElement() }) else { return }
        let number = numbers.withLock { $0[process.identifier] } ?? 0
        let isLong = duration >= Self.patience
        if isLong { state.withLock { _ = $0.asleep.insert(number) } }
        let begun = ContinuousClock.now
        process.signal(SIGSTOP)
        Task { [self] in
            try? await Task.sleep(for: duration)
            // On a busy machine a stop can last longer than planned.
            if !isLong, ContinuousClock.now - begun >= Self.patience { state.withLock { _ = $0.asleep.insert(number) } }
            wake(number)
            process.signal(SIGCONT)
        }
    }

    /// Records that a process continues after a long stop: other processes may have taken over its claims.
    private func wake(_ number: Int32) {
        state.withLock { state in
            guard state.asleep.remove(number) != nil else { return }
            state.ledger.stopped(number)
        }
    }

    /// Tells all processes to end and waits for them; an exit status other than 0 is a violation.
    func end() async {
        for number in state.withLock({ $0.asleep }) { wake(number) }
        for process in state.withLock({ $0.running }) {
            process.signal(SIGCONT)
            process.send("end")
        }
        for process in state.withLock({ $0.running }) {
            let status = await process.end()
            if status != 0 { state.withLock { $0.ledger.found("a process ended with status \(status)") } }
        }
    }
}
