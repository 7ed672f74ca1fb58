/// The repair of interrupted refreshes.
extension TokenRefresher {
    private static let repairsAtATime = 8
    /// The maximum wait of a repair for the lock of a session whose newest tokens this process has.
    private static let waitWithTokens = Duration.seconds(2)

    /// Completes the interrupted refreshes of crashed processes, and saves what this process could not save.
    ///
    /// With `pausing`, sessions have the pauses of failed refreshes, so that a response that is never accepted is validated more and more
    /// rarely. A session with unsaved tokens has no pause.
    func repairAll(pausing: Bool) async throws -> RepairReport {
        let kept = await sessionsToRepair()
        var ids = kept
        let inDoubt = SessionFilter(tenant: visible.tenant, isInDoubt: true)
        for session in try await visible.store.readable(inDoubt).sessions {
            ids.insert(session.id)
        }
        return await withTaskGroup(of: RepairOutcome.self) { group in
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
    }

    /// Reads the spool, and revokes the tokens of sessions that were removed.
    ///
    /// The spool may contain sessions of other tenants. Only a manager of their tenant has the provider that issued the tokens, so they are
    /// left for it. If the spool cannot be read, the error is reported. A session whose row cannot be read is returned, so that its own
    /// repair fails and those of the others do not.
    ///
    /// - Returns: The manager's sessions that have a state in memory or in the spool.
    func sessionsToRepair() async -> Set<SessionID> {
        var ids = unsaved.sessions
        do {
            let spooled = try await unsaved.spooledSessions().filter(visible.isOurs).map(\.id)
            for (index, id) in spooled.enumerated() {
                do {
                    try Task.checkCancellation()
                    if try await visible.store.session(id) == nil { await revokeUnsaved(id) } else { ids.insert(id) }
                } catch {
                    ids.insert(id)
                    guard [.retryLater, .cancelled].contains(IdentityError.wrapping(error).kind) else { continue }
                    // While the store is down, each of the other reads would take its whole time limit.
                    ids.formUnion(spooled[index...])
                    break
                }
            }
        } catch {
            events.emit(.storeFailed(IdentityError.code(of: error)), provider: "")
        }
        return ids
    }

    private func repair(_ id: SessionID, waitingUpTo limit: Duration) async -> RepairOutcome {
        // If this process already refreshes the session, no repair is needed. Repairs of other sessions would have to wait for the refresh.
        if flights.isUnderWay(id) { return .busy }
        do {
            let refreshed = try await refresh(id, for: .repairing, waitingUpTo: limit)
            return refreshed.outcome == .waited ? .gone : .repaired
        } catch {
            let error = IdentityError.wrapping(error)
            if error.code == .refreshBusy { return .busy }
            if error.code == .sessionUnknown { return .gone }
            return error.kind == .signInAgain ? .ended : .remaining
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
