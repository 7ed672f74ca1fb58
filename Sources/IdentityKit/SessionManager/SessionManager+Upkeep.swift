extension SessionManager {
    private static let repairsAtATime = 8
    private static let lastAttempts = 4
    /// The maximum wait of a repair for the lock of a session whose newest tokens this process has.
    private static let waitWithTokens = Duration.seconds(2)

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
    public func repair() async throws -> RepairReport {
        try await Correlation.scope {
            let kept = await refresher.sessionsToRepair()
            var ids = kept
            let inDoubt = SessionFilter(tenant: visible.tenant, isInDoubt: true)
            for session in try await visible.store.readable(inDoubt).sessions {
                ids.insert(session.id)
            }
            let report = await withTaskGroup(of: RepairOutcome.self) { group in
                var report = RepairReport()
                for (index, id) in ids.enumerated() {
                    if index >= Self.repairsAtATime, let outcome = await group.next() { report.count(outcome) }
                    // For a kept session, this process has the response. Another process may hold the lock for a moment while it
                    // checks the session, so this process waits for the lock.
                    let limit = kept.contains(id) ? Self.waitWithTokens : .zero
                    group.addTask { [self] in await repair(id, waitingUpTo: limit) }
                }
                for await outcome in group { report.count(outcome) }
                return report
            }
            // Each refresh checks its own provider, so the sessions of the other providers are repaired by now.
            try lockTimeCheck.run()
            return report
        }
    }

    private func repair(_ id: SessionID, waitingUpTo limit: Duration) async -> RepairOutcome {
        // If this process already refreshes the session, no repair is needed. Repairs of other sessions would have to wait for the refresh.
        if flights.isUnderWay(id) { return .busy }
        do {
            let refreshed = try await refresher.refresh(id, for: .repairing, waitingUpTo: limit)
            return refreshed.outcome == .waited ? .gone : .repaired
        } catch {
            let error = IdentityError.wrapping(error)
            if error.code == .refreshBusy { return .busy }
            if error.code == .sessionUnknown { return .gone }
            return error.kind == .signInAgain ? .ended : .remaining
        }
    }

    /// Repairs and sweeps regularly until its task is cancelled; run it beside an app's server.
    ///
    /// If the store fails, the failure is reported to the observers, and the next run tries again.
    ///
    /// - Parameter sweepInterval: The pause between two sweeps, by default an hour. The pause between two repairs is
    ///   ``Configuration/repairInterval``.
    public func maintain(sweepingEvery sweepInterval: Duration = .seconds(3600)) async {
        var nextSweep = clock.elapsed
        while !Task.isCancelled {
            await reportingFailure { _ = try await repair() }
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

    /// Removes expired pending logins and sessions; call it regularly.
    ///
    /// If the wall clock has jumped ahead since the manager was created, no record is removed too early.
    ///
    /// - Returns: The number of removed records; 0 if the store does not conform to ``ExpirySweeping``.
    /// - Throws: ``IdentityError`` of the store.
    @discardableResult
    public func sweep() async throws -> Int {
        guard let sweeping = visible.store as? any ExpirySweeping else { return 0 }
        let started = clock.elapsed
        let count = try await sweeping.sweep(expiredBefore: visible.lifetime.now)
        events.emit(.swept(count), provider: "", since: started)
        return count
    }

    /// Waits until every running refresh has been saved: call it before the process ends.
    ///
    /// Stop ``maintain(sweepingEvery:)`` before. A refresh usually ends within twice the provider's timeout and some seconds, so an
    /// orchestrator's grace period must be longer than that. There is no limit for the whole wait: a refresh can also wait for a lock or
    /// for the store, and this method waits for the participants, such as carts, too. Cancel its task to end the wait earlier.
    ///
    /// - Returns: The sessions whose newest tokens are only in the memory of this process: these tokens are lost when it ends.
    @discardableResult
    public func drain() async -> Set<SessionReference> {
        await flights.drain()
        for _ in 0..<Self.lastAttempts {
            let ids = unsaved.sessions
            guard !ids.isEmpty else { break }
            for id in ids { refresher.startRepair(id) }
            await flights.drain()
            guard !unsaved.sessions.isEmpty else { break }
            try? await clock.sleep(for: .milliseconds(250))
        }
        await participants.drain()
        return Set(unsaved.sessionsNotDurable.map(\.reference))
    }
}

private enum RepairOutcome: Sendable {
    case repaired, busy, ended, remaining
    /// Another process repaired the session first, or it has ended.
    case gone
}

extension RepairReport {
    fileprivate mutating func count(_ outcome: RepairOutcome) {
        switch outcome {
        case .repaired: repaired += 1
        case .busy: busy += 1
        case .ended: ended += 1
        case .remaining: remaining += 1
        case .gone: break
        }
    }
}
