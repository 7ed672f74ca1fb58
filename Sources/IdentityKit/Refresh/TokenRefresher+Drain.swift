extension TokenRefresher {
    private static let lastAttempts = 4
    /// One check every 50 milliseconds, so a minute in total.
    private static let lateChecks = 1_200

    /// Waits for the running refreshes, and tries to save unsaved tokens; ends early if the task is cancelled.
    func drain() async {
        let limiters = providers.all.map { memory.limiter(of: $0.descriptor.name) }
        for limiter in limiters { limiter.beginDrain() }
        defer { for limiter in limiters { limiter.endDrain() } }
        // Background work, for example on carts, can start refreshes.
        await background.drain()
        await flights.drain()
        await saveUnsaved()
        // The end of a refresh notifies participants such as carts, and their background work can start another refresh.
        await background.drain()
        await flights.drain()
        // `flights.drain()` ignores a refresh that has exceeded its callers' time limit, but the provider's response may still arrive.
        // `Task.sleep` waits in real time even if a test replaces the clock, because requests need real time.
        for _ in 0..<Self.lateChecks where limiters.contains(where: \.isRunning) && !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(50))
        }
        await saveUnsaved()
    }

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
