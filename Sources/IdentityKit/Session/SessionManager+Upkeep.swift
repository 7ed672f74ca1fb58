internal import FoundationEssentials
internal import Synchronization

/// What a repair found and did.
public struct RepairReport: Sendable, Equatable {
    /// How many sessions have good tokens again.
    public var repaired = 0
    /// How many are being refreshed by somebody else at this moment.
    public var busy = 0
    /// How many ended: the provider no longer takes their refresh token.
    public var ended = 0
    /// How many are still in doubt, because provider or store failed; a later repair tries again.
    public var remaining = 0

    /// A report of nothing.
    public init() {}
}

extension SessionManager {
    private static let repairsAtATime = 8
    private static let lastAttempts = 4
    /// How long a repair waits for the lock of a session whose newest tokens this process has.
    private static let waitWithTokens = Duration.seconds(2)

    /// Finishes what processes that died have left half done: sessions in doubt, answers that were not judged, tokens that were not
    /// saved.
    ///
    /// The sooner the better: a provider that takes a refresh token twice does so for some seconds only. Call it when a process
    /// starts, or let ``maintain(sweepingEvery:)`` do it all.
    ///
    /// - Throws: ``IdentityError`` when the store cannot be read.
    @discardableResult
    public func repair() async throws -> RepairReport {
        try await Correlation.scope {
            try checkConfiguration()
            let kept = try await refresher.sessionsToSettle()
            var ids = kept
            let unsettled = SessionFilter(tenant: configuration.tenant, isUnsettled: true)
            for session in try await store.readable(unsettled).sessions {
                ids.insert(session.id)
            }
            return await withTaskGroup(of: RepairOutcome.self) { group in
                var report = RepairReport()
                for (index, id) in ids.enumerated() {
                    if index >= Self.repairsAtATime, let outcome = await group.next() { report.count(outcome) }
                    // Another process may hold the lock for a moment to look at the claim that is answered here.
                    let limit = kept.contains(id) ? Self.waitWithTokens : .zero
                    group.addTask { [self] in await repair(id, waitingUpTo: limit) }
                }
                for await outcome in group { report.count(outcome) }
                return report
            }
        }
    }

    private func repair(_ id: SessionID, waitingUpTo limit: Duration) async -> RepairOutcome {
        // Under way in this process: not in doubt, and not to be waited for while others are.
        if refreshes.isUnderWay(id) { return .busy }
        do {
            if configuration.tenant != nil {
                // What waits in the store's second place may be another tenant's.
                guard let stored = try await store.session(id), isKnown(stored) else { return .gone }
            }
            let (refreshed, _) = try await refreshes.run(id) { [self] in
                try await refresh(id, for: .settling, waitingUpTo: limit)
            }
            return refreshed.outcome == .waited ? .gone : .repaired
        } catch {
            let error = IdentityError.wrapping(error)
            if error.code == .renewalBusy { return .busy }
            if error.code == .sessionUnknown { return .gone }
            return error.kind == .signInAgain ? .ended : .remaining
        }
    }

    /// Repairs and sweeps again and again, until its task is cancelled; run it beside an app's server.
    ///
    /// A store that fails meanwhile is asked again the next time, and the observers hear of it.
    ///
    /// - Parameter sweepInterval: The pause between two sweeps, by default an hour. The pause between two repairs is
    ///   ``Configuration/repairInterval``.
    public func maintain(sweepingEvery sweepInterval: Duration = .seconds(3600)) async {
        var nextSweep = environment.clock.elapsed
        while !Task.isCancelled {
            do {
                try await repair()
                if environment.clock.elapsed >= nextSweep {
                    nextSweep = environment.clock.elapsed + sweepInterval
                    _ = try await sweep()
                }
            } catch {
                events.emit(.storeFailed(IdentityError.code(of: error)), provider: "")
            }
            try? await environment.clock.sleep(for: configuration.repairInterval)
        }
    }

    /// Removes pending logins and sessions whose time is over; call it now and then.
    ///
    /// A wall clock that jumped ahead since the start removes nothing before its time.
    ///
    /// - Returns: How many were removed.
    public func sweep() async throws -> Int {
        guard let sweeping = store as? any ExpirySweeping else { return 0 }
        let started = environment.clock.elapsed
        let count = try await sweeping.sweep(expiredBefore: lifetime.now)
        events.emit(.swept(count), provider: "", since: started)
        return count
    }

    /// Waits until every refresh that is under way has been saved: call it before the process ends.
    ///
    /// End ``maintain(sweepingEvery:)`` before. A refresh may take two of the provider's timeouts, and some seconds more;
    /// an orchestrator's grace period must be longer than that.
    ///
    /// - Returns: The sessions whose newest tokens are stored nowhere durable: they are lost when the process ends.
    @discardableResult
    public func drain() async -> Set<SessionID> {
        await refreshes.drain()
        for _ in 0..<Self.lastAttempts {
            let unsaved = refresher.unsavedSessions
            guard !unsaved.isEmpty else { break }
            for id in unsaved {
                refreshes.start(id) { [self] in
                    try await refresh(id, for: .settling, waitingUpTo: configuration.lockWait)
                }
            }
            await refreshes.drain()
            guard !refresher.unsavedSessions.isEmpty else { break }
            try? await environment.clock.sleep(for: .milliseconds(250))
        }
        await followUpRuns.drain()
        return refresher.sessionsNotDurable
    }

    /// Refreshes a session and lets carts and others follow.
    func refresh(_ id: SessionID, for goal: RefreshGoal, waitingUpTo limit: Duration) async throws -> RefreshedSession {
        defer { cache?.remove(id) }
        try checkConfiguration()
        // Followers hear of new tokens once, not at every call while nothing can be saved.
        let wasUnsaved = refresher.hasUnsaved(id)
        let refreshed: RefreshedSession
        do {
            refreshed = try await refresher.refresh(id, for: goal, waitingUpTo: limit)
        } catch {
            if IdentityError.wrapping(error).kind == .signInAgain { followEnd(of: id) }
            throw error
        }
        if refreshed.outcome != .waited, !wasUnsaved || !refresher.hasUnsaved(id) { follow(refreshed.session) }
        return refreshed
    }
}

private enum RepairOutcome: Sendable {
    case repaired, busy, ended, remaining
    /// Somebody else was faster, or the session has ended.
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
