/// Starts a thread for code that waits in C functions, because such code would block a thread of Swift's cooperative pool.
package enum DedicatedThread {
    /// Starts a detached thread that runs the body; false if the thread could not be created.
    ///
    /// The thread blocks all signals. Otherwise the app's signal handlers could run on this thread, and a SIGPIPE from a write in a C
    /// library could end the process.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let box = unsafe Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        let result = unsafe pthread_create(
            &thread,
            nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                // Releases the reference of `passRetained`. If pthread_create fails, `box.release()` below does so instead.
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
