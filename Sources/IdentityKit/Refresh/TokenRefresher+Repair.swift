extension TokenRefresher {
    private typealias Count = @Sendable (inout RepairReport) -> Void

    private static let repairsAtATime = 8
    /// The maximum wait of a repair for the lock of a session that has a state in memory or in the spool.
    private static let waitWithTokens = Duration.seconds(2)

    /// Completes the interrupted refreshes of crashed processes, and saves the tokens and responses that this process could not save.
    ///
    /// `pausing`: a session is skipped during the pause after a failed refresh, unless memory or the spool has a state of the session. So a
    /// response that fails every validation is validated less often, with pauses of up to 30 seconds.
    func repairAll(pausing: Bool) async throws -> RepairReport {
        let kept = await sessionsToRepair()
        var ids = kept
        let inDoubt = SessionFilter(tenant: visible.tenant, isInDoubt: true)
        var listing = SessionListing()
        do {
            listing = try await store.readable(inDoubt)
        } catch let error as IdentityError where error.concernsRecord {
            listing.damage = error
        }
        ids.formUnion(listing.sessions.map(\.id))
        if let damage = listing.damage { events.emit(.storeFailed(damage.code), provider: "") }
        return await withTaskGroup(of: Count.self) { group in
            var report = RepairReport()
            // The error does not say how many sessions cannot be read, so they count as one.
            if listing.damage != nil { report.remaining += 1 }
            for (index, id) in ids.enumerated() {
                if index >= Self.repairsAtATime, let count = await group.next() { count(&report) }
                // Memory or the spool may contain the newest tokens of a session in `kept`. So its repair waits for the lock, which another
                // process may hold for a moment while it checks the session.
                let isKept = kept.contains(id)
                group.addTask { [self] in
                    if pausing, !isKept, pauses.error(delaying: id) != nil { return { $0.remaining += 1 } }
                    return await repair(id, waitingUpTo: isKept ? Self.waitWithTokens : .zero)
                }
            }
            for await count in group { count(&report) }
            return report
        }
    }

    /// Returns this manager's sessions that have a state in memory or in the spool, and revokes the spooled tokens of removed sessions.
    ///
    /// Spooled sessions of other tenants are left out, because only a manager of their tenant has their provider. A session that the store
    /// cannot read is included, so that only its own repair fails.
    func sessionsToRepair() async -> Set<SessionID> {
        var ids = unsaved.sessions
        do {
            let spooled = try await unsaved.spooledSessions().filter { visible.serves(tenant: $0.tenant) }.map(\.id)
            for (index, id) in spooled.enumerated() {
                do {
                    try Task.checkCancellation()
                    if try await store.session(id) == nil { await revokeUnsaved(id) } else { ids.insert(id) }
                } catch {
                    ids.insert(id)
                    guard [.retryLater, .cancelled].contains(IdentityError.wrapping(error).kind) else { continue }
                    // If the store is down, each further read would fail only after its whole time limit.
                    ids.formUnion(spooled[index...])
                    break
                }
            }
        } catch {
            events.emit(.storeFailed(IdentityError.code(of: error)), provider: "")
        }
        return ids
    }

    /// Repairs a session; does not count a session that was removed, has expired, or was repaired by another process or task.
    private func repair(_ id: SessionID, waitingUpTo limit: Duration) async -> Count {
        // A refresh continues although its caller is cancelled. So a cancelled repair must not start the refreshes of all other sessions.
        guard !Task.isCancelled else { return { $0.remaining += 1 } }
        // A running refresh of this process makes the repair unnecessary. Waiting for the refresh would delay the other repairs.
        if flights.isUnderWay(id) { return { $0.busy += 1 } }
        do {
            let refreshed = try await refresh(id, for: .repairing, waitingUpTo: limit)
            guard refreshed.outcome != .waited else { return { _ in } }
            // As long as `unsaved` has the session, the store does not have its new tokens or response.
            if unsaved[id] == nil { return { $0.repaired += 1 } }
        } catch {
            let error = IdentityError.wrapping(error)
            if error.code == .refreshBusy { return { $0.busy += 1 } }
            if error.code == .sessionUnknown { return { _ in } }
            if error.kind == .signInAgain { return { $0.ended += 1 } }
        }
        return { $0.remaining += 1 }
    }
}
