internal import IdentityKit
internal import IdentityPlatform
internal import Synchronization

/// Cancels the command at the first SIGINT or SIGTERM; a second signal ends the process immediately.
///
/// SIGPIPE is ignored, so a write to a closed pipe fails and does not end the process. ``Output`` remembers a failed write to standard
/// output.
struct Interruption {
    // The members are static, because a signal handler is a C function, which cannot capture values.
    private static let isReceived = Atomic(false)
    private static let wakeup = WakeupPipe()

    init() {
        // The reader of the output may close its pipe while new tokens are being saved. The default action would end the process, and the
        // tokens would be lost.
        signal(SIGPIPE, SIG_IGN)
        // A signal handler must not initialize static members, so this line initializes both members. If the process cannot open a pipe,
        // `init` sets no handler, and a signal ends the process at once.
        guard Self.wakeup != nil, !Self.isReceived.exchange(false, ordering: .sequentiallyConsistent) else { return }
        for number in [SIGINT, SIGTERM] {
            signal(number) { _ in
                let isSecond = Interruption.isReceived.exchange(true, ordering: .sequentiallyConsistent)
                if isSecond { _exit(ExitStatus.of(.cancelled)) }
                Interruption.wakeup?.wake()
            }
        }
    }

    /// Whether a signal was received, or is pending because its handler has not run yet.
    var isRequested: Bool {
        var pending = sigset_t()
        unsafe sigpending(&pending)
        return [SIGINT, SIGTERM].contains { unsafe sigismember(&pending, $0) == 1 }
            || Self.isReceived.load(ordering: .sequentiallyConsistent)
    }

    /// Runs an action on another thread after the first signal, also if that signal arrived earlier.
    func onRequest(_ action: @escaping @Sendable () -> Void) {
        guard let wakeup = Self.wakeup else { return }
        _ = DedicatedThread.start {
            Descriptor.wait(for: Int16(POLLIN), on: wakeup.readDescriptor)
            action()
        }
    }
}
