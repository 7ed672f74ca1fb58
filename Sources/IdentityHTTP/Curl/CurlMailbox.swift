internal import CIdentityCurl
internal import Synchronization

/// One request on its way through the loop.
final class CurlExchange: Sendable {
    let request: HTTPRequest
    let start = ContinuousClock.now
    let isCancelled = Atomic(false)

    init(_ request: HTTPRequest) {
        self.request = request
    }
}

/// How tasks speak to the loop's thread: a queue, and libcurl's own way to wake a poll.
final class CurlMailbox: Sendable {
    typealias Continuation = CheckedContinuation<Result<HTTPResponse, HTTPTransportError>, Never>

    enum Command: Sendable {
        case submit(CurlExchange, Continuation)
        case cancel(CurlExchange)
        case close
    }

    private struct State {
        /// `nil` once the loop has ended and the handle is freed.
        var isOpen = true
        var commands: [Command] = []
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    // Libcurl is made ready once per process; doing so is thread-safe in every build that has the `threadsafe` feature, and
    // a static constant makes it so in the others.
    private static let globalResult = identity_curl_global_init()

    private let state = Mutex(State())
    private let handle: MultiHandle

    init() throws(HTTPTransportError) {
        guard CurlMailbox.globalResult == CURLE_OK, let pointer = unsafe curl_multi_init() else {
            throw HTTPTransportError(code: .internalFailure, phase: .notSent, message: "libcurl could not be started.")
        }
        handle = unsafe MultiHandle(pointer: pointer)
    }

    /// The multi handle; for the loop's thread only.
    var multi: UnsafeMutableRawPointer { unsafe handle.pointer }

    /// Hands a command to the loop; false if the loop has ended and will not see it.
    @discardableResult
    func post(_ command: Command) -> Bool {
        state.withLock { state in
            guard state.isOpen else { return false }
            state.commands.append(command)
            // One wake-up serves all commands up to the next take. It is under the lock, because the handle is freed under it.
            if state.commands.count == 1 { unsafe curl_multi_wakeup(handle.pointer) }
            return true
        }
    }

    /// Called by the loop only.
    func take(into commands: inout [Command]) {
        state.withLock { swap(&$0.commands, &commands) }
    }

    /// Frees the multi handle, refuses what was queued too late and wakes those who wait; the loop's last deed.
    func loopEnded() {
        let (commands, waiters) = state.withLock { state in
            unsafe curl_multi_cleanup(handle.pointer)
            defer { state = State(isOpen: false) }
            return (state.commands, state.waiters)
        }
        for case .submit(_, let continuation) in commands {
            continuation.resume(returning: .failure(CurlFailure.closed(.notSent)))
        }
        for waiter in waiters { waiter.resume() }
    }

    func waitForEnd() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if state.isOpen { state.waiters.append(continuation) }
                return !state.isOpen
            }
            if hasEnded { continuation.resume() }
        }
    }

    /// The multi handle's address.
    ///
    /// Sendable although it is a pointer: other threads pass it only to `curl_multi_wakeup`, which libcurl documents as
    /// callable from any thread, and only under the lock while `isOpen`; everything else happens on the loop's thread.
    @safe private struct MultiHandle: @unchecked Sendable {
        let pointer: UnsafeMutableRawPointer
    }
}
