extension SessionManager {
    /// Checks that the providers fit the store: a request that sends a refresh token must be over while the session's lock is
    /// certainly held.
    ///
    /// ``repair()``, every login and every refresh check it too.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/configurationInvalid`` that names the provider.
    public func checkConfiguration() throws(IdentityError) { try timeouts.check() }

    /// Finishes what processes that died have left half done: sessions in doubt, answers that were not judged, tokens that were not
    /// saved.
    ///
    /// The sooner the better: a provider that takes a refresh token twice does so for some seconds only. Call it when a process
    /// starts, or let ``maintain(sweepingEvery:)`` do it all.
    ///
    /// - Throws: ``IdentityError`` when the store cannot be read.
    @discardableResult
    public func repair() async throws -> RepairReport {
        try await upkeep.repair()
    }

    /// Repairs and sweeps again and again, until its task is cancelled; run it beside an app's server.
    ///
    /// A store that fails meanwhile is asked again the next time, and the observers hear of it.
    ///
    /// - Parameter sweepInterval: The pause between two sweeps, by default an hour. The pause between two repairs is
    ///   ``Configuration/repairInterval``.
    public func maintain(sweepingEvery sweepInterval: Duration = .seconds(3600)) async {
        await upkeep.maintain(sweepingEvery: sweepInterval)
    }

    /// Removes pending logins and sessions whose time is over; call it now and then.
    ///
    /// A wall clock that jumped ahead since the start removes nothing before its time.
    ///
    /// - Returns: How many were removed.
    @discardableResult
    public func sweep() async throws -> Int {
        try await upkeep.sweep()
    }

    /// Waits until every refresh that is under way has been saved: call it before the process ends.
    ///
    /// End ``maintain(sweepingEvery:)`` before. A refresh may take two of the provider's timeouts, and some seconds more;
    /// an orchestrator's grace period must be longer than that.
    ///
    /// - Returns: The sessions whose newest tokens are stored nowhere durable: they are lost when the process ends.
    @discardableResult
    public func drain() async -> Set<SessionID> {
        await upkeep.drain()
    }
}
