extension SessionManager {
    /// The pause before the first sweep if the sweep interval is longer.
    ///
    /// A machine that has just started may have a clock that is ahead for some minutes. A sweep would then remove valid sessions.
    private static let firstSweep = Duration.seconds(600)

    /// Checks that no provider's timeout is longer than the time for which the store guarantees a session's lock.
    ///
    /// ``repair()`` makes the same check. A refresh or a login checks its own provider only.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/configurationInvalid`` that names the provider.
    public func checkConfiguration() throws(IdentityError) {
        for provider in providers.all { try checkLockTime(of: provider) }
    }

    /// Completes refreshes that were interrupted, for example by a crash.
    ///
    /// If a response was lost, the method sends the refresh token again. The method also validates stored responses, and saves tokens that
    /// an earlier refresh could not save.
    ///
    /// Call the method when a process starts, or run ``maintain(sweepingEvery:)``: a used refresh token may be accepted for seconds only.
    ///
    /// - Throws: ``IdentityError`` when the store cannot be read, or when a provider fails ``checkConfiguration()``. In the second case,
    ///   the repair of the other providers' sessions has ended, but no report is returned.
    @discardableResult
    public func repair() async throws -> RepairReport {
        try await Correlation.scope {
            let report = try await refresher.repairAll(pausing: false)
            // The check comes last, so that a wrong timeout of one provider does not prevent the repair of the other providers' sessions.
            try checkConfiguration()
            return report
        }
    }

    /// Repairs interrupted refreshes and calls ``sweep()`` regularly until its task is cancelled; run it beside the app's server.
    ///
    /// If a repair or a sweep fails, the observers receive the event ``IdentityEvent/Kind/storeFailed(_:)``, and the next run tries again.
    /// If a provider fails ``checkConfiguration()``, they receive ``IdentityEvent/Kind/refreshFailed(_:)`` after each repair.
    ///
    /// - Parameter sweepInterval: The pause between two sweeps, by default an hour. The first sweep follows after this time or after 10
    ///   minutes, whichever is shorter. The pause between two repairs is ``Configuration/repairInterval``.
    public func maintain(sweepingEvery sweepInterval: Duration = .seconds(3600)) async {
        var nextSweep = clock.elapsed + min(sweepInterval, Self.firstSweep)
        while !Task.isCancelled {
            await Correlation.scope {
                await reportingFailure { _ = try await refresher.repairAll(pausing: true) }
                reportLockTimes()
            }
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
            let error = IdentityError.wrapping(error)
            if error.kind != .cancelled { events.emit(.storeFailed(error.code), provider: "") }
        }
    }

    /// Reports each provider whose timeout is too long, because a refresh at such a provider fails without an event.
    private func reportLockTimes() {
        for provider in providers.all {
            do {
                try checkLockTime(of: provider)
            } catch {
                events.emit(.refreshFailed(error.code), provider: provider.descriptor.name)
            }
        }
    }

    /// Removes expired sessions, pending logins and logouts, and marks of used tokens, of all tenants; call it regularly.
    ///
    /// No record is removed too early if the wall clock jumps ahead after the manager was created.
    ///
    /// - Returns: The number of removed records; 0 if the store does not conform to ``ExpirySweeping``.
    /// - Throws: ``IdentityError`` of the store.
    @discardableResult
    public func sweep() async throws -> Int {
        guard let sweeping = store as? any ExpirySweeping else { return 0 }
        let started = clock.elapsed
        let count = try await sweeping.sweep(expiredBefore: visible.lifetime.now)
        events.emit(.swept(count), provider: "", since: started)
        return count
    }

    /// Waits for running refreshes, and tries to save tokens that the store could not save: call it before the process ends.
    ///
    /// Cancel the task of ``maintain(sweepingEvery:)`` first. A refresh that waits because ``RefreshLimits/concurrent`` others run does not
    /// start: its callers get `refresh_busy`, or the old token while it is valid. If a refresh exceeds ``RefreshLimits/maximumWait``, the
    /// method waits for it up to a minute longer.
    ///
    /// A refresh usually ends within twice the provider's timeout and some seconds, so set a longer grace period in the orchestrator. The
    /// whole wait has no limit: a refresh can wait for a lock or for the store, and the method also waits for participants such as carts.
    /// Cancel the task that calls this method to end the wait earlier.
    ///
    /// - Returns: The sessions whose newest tokens are only in the memory of this process: these tokens are lost when it ends.
    @discardableResult
    public func drain() async -> Set<SessionReference> {
        await refresher.drain()
        await background.drain()
        return Set(unsaved.sessionsNotDurable.map(\.reference))
    }
}
