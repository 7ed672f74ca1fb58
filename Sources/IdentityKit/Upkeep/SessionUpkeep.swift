/// Repairs and sweeps the store, and completes the work of this process before it ends.
struct SessionUpkeep: SessionService {
    /// The pause before the first sweep if the sweep interval is longer.
    ///
    /// The first sweep is not immediate, because a machine that has just started may have the wrong time for some minutes.
    private static let firstSweep = Duration.seconds(600)

    let context: SessionContext

    /// Completes interrupted refreshes, saves unsaved tokens, and checks the providers' timeouts.
    func repair(pausing: Bool = false) async throws -> RepairReport {
        try await Correlation.scope {
            let report = try await refresher.repairAll(pausing: pausing)
            // The check comes last: if it fails for one provider, the sessions of the other providers have already been repaired. Each
            // refresh has checked its own provider.
            try lockTimeCheck.run()
            return report
        }
    }

    /// Repairs and sweeps regularly until its task is cancelled.
    func maintain(sweepingEvery sweepInterval: Duration) async {
        // A sweep with a clock that is ahead would remove sessions that have not expired.
        var nextSweep = clock.elapsed + min(sweepInterval, Self.firstSweep)
        while !Task.isCancelled {
            await reportingFailure { _ = try await repair(pausing: true) }
            if clock.elapsed >= nextSweep {
                nextSweep = clock.elapsed + sweepInterval
                await reportingFailure { _ = try await sweep() }
            }
            try? await clock.sleep(for: configuration.repairInterval)
        }
    }

    private func reportingFailure(_ body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            events.emit(.storeFailed(IdentityError.code(of: error)), provider: "")
        }
    }

    /// Removes expired sessions, pending logins and logouts, and marks of used tokens, of all tenants.
    func sweep() async throws -> Int {
        guard let sweeping = visible.store as? any ExpirySweeping else { return 0 }
        let started = clock.elapsed
        let count = try await sweeping.sweep(expiredBefore: visible.lifetime.now)
        events.emit(.swept(count), provider: "", since: started)
        return count
    }

    /// Waits until no refresh runs, and no work in the background, such as work on carts.
    ///
    /// - Returns: The sessions whose newest tokens are only in the memory of this process.
    func drain() async -> Set<SessionReference> {
        await refresher.drain()
        await background.drain()
        return Set(unsaved.sessionsNotDurable.map(\.reference))
    }
}
