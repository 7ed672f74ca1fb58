extension SessionManager {
    /// Checks that the providers fit the store: a request with a refresh token must end while the session's lock is
    /// certainly held.
    ///
    /// ``repair()`` makes the same check for all providers. A refresh or a login checks its own provider only.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/configurationInvalid`` that names the provider.
    public func checkConfiguration() throws(IdentityError) { try lockTimeCheck.run() }

    /// Completes refreshes that were interrupted, for example by a crash: sends a refresh token again whose response was lost, validates
    /// stored responses, and saves tokens that could not be saved.
    ///
    /// Call it as soon as a process starts, or run ``maintain(sweepingEvery:)``: after a crash, a provider with a grace period accepts the
    /// used refresh token for some seconds only.
    ///
    /// - Throws: ``IdentityError`` when the store cannot be read. Also the error of ``checkConfiguration()``, after the sessions of the
    ///   providers that pass this check were repaired; then the report of this repair is not available.
    @discardableResult
    public func repair() async throws -> RepairReport { try await upkeep.repair() }

    /// Calls ``repair()`` and ``sweep()`` regularly until its task is cancelled; run it beside the app's server.
    ///
    /// If a repair or a sweep fails, the observers receive the event ``IdentityEvent/Kind/storeFailed(_:)``, and the next run tries again.
    ///
    /// - Parameter sweepInterval: The pause between two sweeps, by default an hour. The first sweep follows after this time or after 10
    ///   minutes, whichever is shorter. The pause between two repairs is ``Configuration/repairInterval``.
    public func maintain(sweepingEvery sweepInterval: Duration = .seconds(3600)) async {
        await upkeep.maintain(sweepingEvery: sweepInterval)
    }

    /// Removes expired sessions, pending logins and logouts, and marks of used tokens, of all tenants; call it regularly.
    ///
    /// No record is removed too early if the wall clock jumps ahead after the manager was created.
    ///
    /// - Returns: The number of removed records; 0 if the store does not conform to ``ExpirySweeping``.
    /// - Throws: ``IdentityError`` of the store.
    @discardableResult
    public func sweep() async throws -> Int { try await upkeep.sweep() }

    /// Waits until no refresh runs, and tries to save tokens that the store could not save: call it before the process ends.
    ///
    /// Cancel the task of ``maintain(sweepingEvery:)`` first. A refresh that waits because ``RefreshLimits/concurrent`` others run at its
    /// provider does not start: its callers get `refresh_busy`, or the old token while it is valid. If a refresh exceeds
    /// ``RefreshLimits/maximumWait``, the method waits for it up to a minute longer.
    ///
    /// A refresh usually ends within twice the provider's timeout and some seconds, so set a longer grace period in the orchestrator. The
    /// whole wait has no limit, because a refresh can wait for a lock or for the store, and the method also waits for participants such as
    /// carts. Cancel the task that calls this method to end the wait earlier.
    ///
    /// - Returns: The sessions whose newest tokens are only in the memory of this process: these tokens are lost when it ends.
    @discardableResult
    public func drain() async -> Set<SessionReference> { await upkeep.drain() }
}
