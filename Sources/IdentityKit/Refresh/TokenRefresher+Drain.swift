/// Completes the work of refreshes before the process ends.
extension TokenRefresher {
    private static let lastAttempts = 4
    /// The maximum number of checks in ``drain()`` whether the last refreshes have ended, one every 50 milliseconds.
    private static let lateChecks = 1_200

    /// Waits for the running refreshes, and tries to save unsaved tokens; ends earlier if the task is cancelled.
    func drain() async {
        let limiters = providers.all.map { memory.limiter(of: $0.descriptor.name) }
        for limiter in limiters { limiter.beginDrain() }
        defer { for limiter in limiters { limiter.endDrain() } }
        // Work in the background, for example on carts, can start refreshes.
        await background.drain()
        await flights.drain()
        await saveUnsaved()
        // The end of a refresh notifies participants, such as carts, in the background. Their work can start another refresh.
        await background.drain()
        await flights.drain()
        // `flights.drain()` does not wait for a refresh that has exceeded its callers' time limit. But the provider may be responding to
        // this refresh now. `Task.sleep` waits in real time, also with the clock of a test, because requests need real time.
        for _ in 0..<Self.lateChecks where limiters.contains(where: \.isRunning) && !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(50))
        }
        await saveUnsaved()
    }

    /// Tries a few times to save the tokens and responses that this process could not save.
    private func saveUnsaved() async {
        for _ in 0..<Self.lastAttempts {
            let ids = unsaved.sessions
            guard !ids.isEmpty else { break }
            for id in ids { startRepair(id) }
            await flights.drain()
            guard !unsaved.sessions.isEmpty else { break }
            try? await clock.sleep(for: .milliseconds(250))
        }
    }
}
