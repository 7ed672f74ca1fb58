/// Repairs and sweeps the store, and completes the work of this process before it ends.
struct SessionUpkeep: SessionService {
    private static let repairsAtATime = 8
    private static let lastAttempts = 4
    /// The maximum wait of a repair for the lock of a session whose newest tokens this process has.
    private static let waitWithTokens = Duration.seconds(2)
    /// A machine that has just started may have the wrong time for some minutes.
    private static let firstSweep = Duration.seconds(600)
    /// How often a drain checks, at most, whether the refreshes that have exceeded the time limit of their callers have ended.
    private static let lateChecks = 1_200

    let context: SessionContext

    /// Completes the interrupted work of crashed processes.
    ///
    /// With `pausing`, sessions have the pauses of failed refreshes, so that a response that is never accepted is validated more and more
    /// rarely. A session with unsaved tokens has no pause.
    func repair(pausing: Bool = false) async throws -> RepairReport {
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
                    let isKept = kept.contains(id)
                    group.addTask { [self] in
                        if pausing, !isKept, pauses.error(delaying: id) != nil { return .remaining }
                        return await repair(id, waitingUpTo: isKept ? Self.waitWithTokens : .zero)
                    }
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

    /// Removes expired pending logins and sessions.
    func sweep() async throws -> Int {
        guard let sweeping = visible.store as? any ExpirySweeping else { return 0 }
        let started = clock.elapsed
        let count = try await sweeping.sweep(expiredBefore: visible.lifetime.now)
        events.emit(.swept(count), provider: "", since: started)
        return count
    }

    /// Waits until no refresh and no work on carts runs.
    func drain() async -> Set<SessionReference> {
        let limiters = visible.providers.all.map { refresher.limiter(of: $0.descriptor.name) }
        for limiter in limiters { limiter.beginDrain() }
        defer { for limiter in limiters { limiter.endDrain() } }
        // Work on carts can start refreshes.
        await background.drain()
        await flights.drain()
        await saveUnsaved()
        // A refresh that waited for long has exceeded the time limit of its callers, but the provider may be responding to it now.
        // Real time, also with the clock of a test, because requests need real time.
        for _ in 0..<Self.lateChecks where limiters.contains(where: \.isRunning) && !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(50))
        }
        await saveUnsaved()
        await background.drain()
        return Set(unsaved.sessionsNotDurable.map(\.reference))
    }

    /// Tries a few times to save the tokens that this process could not save.
    private func saveUnsaved() async {
        for _ in 0..<Self.lastAttempts {
            let ids = unsaved.sessions
            guard !ids.isEmpty else { break }
            for id in ids { refresher.startRepair(id) }
            await flights.drain()
            guard !unsaved.sessions.isEmpty else { break }
            try? await clock.sleep(for: .milliseconds(250))
        }
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
