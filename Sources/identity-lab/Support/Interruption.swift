internal import Dispatch
internal import IdentityKit
internal import IdentityPlatform
internal import Synchronization

/// Cancels the command at the first SIGINT or SIGTERM; a second signal ends the process immediately.
///
/// SIGPIPE is ignored, so a write to a closed pipe fails and does not end the process. ``Output`` remembers a failed write to standard
/// output.
final class Interruption: Sendable {
    private struct State {
        var isRequested = false
        var action: (@Sendable () -> Void)?
        var sources: [any DispatchSourceSignal] = []
    }

    private let state = Mutex(State())

    init() {
        // The reader of the output may close its pipe while new tokens are being saved. The default action would end the process then.
        signal(SIGPIPE, SIG_IGN)
        let queue = DispatchQueue(label: "identity-lab.signals")
        state.withLock { state in
            for number in [SIGINT, SIGTERM] {
                // The default action would end the process before the dispatch source receives the signal.
                signal(number, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
                source.setEventHandler { [weak self] in self?.request() }
                source.resume()
                state.sources.append(source)
            }
        }
    }

    /// Whether a signal was received.
    var isRequested: Bool { state.withLock(\.isRequested) }

    /// Sets the action for the first signal; runs it immediately if a signal was already received.
    func onRequest(_ action: @escaping @Sendable () -> Void) {
        let isRequested = state.withLock { state in
            state.action = action
            return state.isRequested
        }
        if isRequested { action() }
    }

    private func request() {
        let (isFirst, action) = state.withLock { state in
            defer { state.isRequested = true }
            return (!state.isRequested, state.action)
        }
        guard isFirst else { _exit(ExitStatus.of(.cancelled)) }
        action?()
    }
}
