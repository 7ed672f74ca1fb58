/// A dedicated thread for code that blocks in C functions, so that it does not block a thread of Swift's cooperative pool.
package enum DedicatedThread {
    /// Starts a detached thread that runs the body and ends when the body returns.
    ///
    /// All signals are blocked on the thread. Otherwise a signal handler of the app could run on the thread's stack, and a SIGPIPE that
    /// a write in a C library raises could end the process.
    ///
    /// - Returns: Whether the thread was created.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let box = unsafe Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        let result = unsafe pthread_create(
            &thread,
            nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                // Balances passRetained: exactly one thread gets the pointer, and only if pthread_create succeeded.
                let box = unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                box.run()
                return nil
            },
            box.toOpaque()
        )
        guard result == 0 else {
            unsafe box.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    private final class Body: Sendable {
        private let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }

        func run() {
            var all = sigset_t()
            unsafe sigfillset(&all)
            unsafe pthread_sigmask(SIG_BLOCK, &all, nil)
            body()
        }
    }
}
