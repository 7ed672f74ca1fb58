extension SessionManager {
    /// Checks that the providers fit the store: a request with a refresh token must end while the session's lock is
    /// certainly held.
    ///
    /// ``repair()`` makes the same check. Every refresh, and a login with a redirect, checks its own provider.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/configurationInvalid`` that names the provider.
    public func checkConfiguration() throws(IdentityError) { try lockTimeCheck.run() }

    /// Completes the interrupted work of crashed processes: sessions in doubt, responses that were not validated, and
    /// tokens that were not saved.
    ///
    /// Call it as soon as a process starts, or run ``maintain(sweepingEvery:)``: a provider with a grace period accepts a used refresh
    /// token for some seconds only.
    ///
    /// - Throws: ``IdentityError`` when the store cannot be read, or when ``checkConfiguration()`` fails, after the sessions of the other
    ///   providers were repaired.
    @discardableResult
    public func repair() async throws -> RepairReport { try await upkeep.repair() }

    /// Repairs and sweeps regularly until its task is cancelled; run it beside an app's server.
    ///
    /// If the store fails, the failure is reported to the observers, and the next run tries again.
    ///
    /// - Parameter sweepInterval: The pause between two sweeps, by default an hour. The pause between two repairs is
    ///   ``Configuration/repairInterval``.
    public func maintain(sweepingEvery sweepInterval: Duration = .seconds(3600)) async {
        await upkeep.maintain(sweepingEvery: sweepInterval)
    }

    /// Removes expired pending logins and sessions; call it regularly.
    ///
    /// If the wall clock has jumped ahead since the manager was created, no record is removed too early.
    ///
    /// - Returns: The number of removed records; 0 if the store does not conform to ``ExpirySweeping``.
    /// - Throws: ``IdentityError`` of the store.
    @discardableResult
    public func sweep() async throws -> Int { try await upkeep.sweep() }

    /// Waits until every running refresh has been saved: call it before the process ends.
    ///
    /// A refresh that waits because too many run at its provider does not start: its callers get `refresh_busy`, or the old token while it
    /// is valid. A refresh that exceeds ``RefreshLimits/maximumWait`` is awaited for a minute more.
    /// Stop ``maintain(sweepingEvery:)`` before. A refresh usually ends within twice the provider's timeout and some seconds, so an
    /// orchestrator's grace period must be longer than that. There is no limit for the whole wait: a refresh can also wait for a lock or
    /// for the store, and this method waits for the participants, such as carts, too. Cancel its task to end the wait earlier.
    ///
    /// - Returns: The sessions whose newest tokens are only in the memory of this process: these tokens are lost when it ends.
    @discardableResult
    public func drain() async -> Set<SessionReference> { await upkeep.drain() }
}
