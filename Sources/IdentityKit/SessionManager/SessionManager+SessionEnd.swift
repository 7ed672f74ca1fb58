internal import FoundationEssentials

extension SessionManager {
    /// Without this limit, the logout of a buyer with many sessions would flood the provider and the shop with requests.
    private static let concurrentEnds = 8

    func end(_ id: SessionID, _ options: LogoutOptions) async throws -> LogoutResult {
        let (results, failure) = await end([id], options, since: clock.elapsed)
        if let failure { throw failure }
        guard let result = results.first else { throw IdentityError.unknownSession }
        return result
    }

    /// Ends the sessions that match the filter and that `isChosen` accepts; then throws the first error, also of an unreadable session.
    func endAll(
        matching filter: SessionFilter,
        where isChosen: @Sendable (SessionID) -> Bool = { _ in true }
    ) async throws -> [LogoutResult] {
        let (results, failure) = try await end(matching: filter, where: isChosen)
        if let failure { throw failure }
        return results
    }

    /// Ends sessions as ``endAll(matching:where:)`` does, but returns the first failure; throws only if the store cannot list the sessions.
    func end(
        matching filter: SessionFilter,
        where isChosen: @Sendable (SessionID) -> Bool
    ) async throws -> (results: [LogoutResult], failure: (any Error)?) {
        let started = clock.elapsed
        let listing = try await visible.listing(filter)
        var options = LogoutOptions()
        options.sendsState = false
        let (results, failure) = await end(listing.sessions.map(\.id).filter(isChosen), options, since: started)
        return (results, failure ?? listing.damage)
    }

    /// Ends a session whose buyer has a newer session, and reports the end to the observers as `kind`.
    ///
    /// No token is revoked, because the revocation could invalidate the newer session's tokens (``TokenRevocation/revoke(_:of:)``).
    func endReplaced(_ id: SessionID, reporting kind: IdentityEvent.Kind) async throws {
        let started = clock.elapsed
        try await background.run { [self] in
            guard let ended = try await removeReplaced(id) else { return }
            _ = await participants.notifyEnded(ended, since: started)
            guard !ended.hadExpired else { return }
            events.emit(kind, provider: ended.session.provider, session: id, since: started)
        }
    }

    /// Removes a session that a newer session of its buyer replaces, and returns nil for an unknown session.
    ///
    /// If a refresh of the removed session still runs, the new tokens of the refresh are not revoked (``TokenRevocation/revoke(_:of:)``).
    func removeReplaced(_ id: SessionID) async throws -> LoggedOutSession? {
        context.replaced.beginRemoval(id)
        var removed: LoggedOutSession?
        defer { context.replaced.endRemoval(id, found: removed != nil) }
        removed = try await remove(id)
        return removed
    }

    private func end(
        _ ids: [SessionID],
        _ options: LogoutOptions,
        since started: Duration
    ) async -> (results: [LogoutResult], failure: (any Error)?) {
        await background.run { [self] in
            let (ended, failure) = await removeAll(ids)
            return (await finish(ended, options, since: started), failure)
        }
    }

    /// Removes as many of the sessions as possible, and returns the first error; a session that no longer exists is no error.
    func removeAll(_ ids: [SessionID]) async -> (ended: [LoggedOutSession], failure: (any Error)?) {
        var ended: [LoggedOutSession] = []
        var failure: (any Error)?
        for id in ids {
            do {
                if let removed = try await remove(id) { ended.append(removed) }
            } catch {
                failure = failure ?? error
            }
        }
        return (ended, failure)
    }

    /// Removes a session; returns nil for an unknown session and for a session of a tenant that the manager does not serve.
    func remove(_ id: SessionID) async throws -> LoggedOutSession? {
        if visible.tenant != nil {
            // The store's removal does not check the tenant, so the session is read first.
            guard let stored = try await store.session(id), visible.serves(tenant: stored.tenant) else { return nil }
        }
        defer { cache?.remove(id) }
        guard let removed = try await store.remove(id) else { return nil }
        var ended = LoggedOutSession(
            session: Session(removed.session, .ended(.unreadable, nil)),
            newest: nil,
            attachments: removed.attachments,
            hadExpired: visible.lifetime.hasExpired(removed.session)
        )
        do {
            let state = try SessionState(removed.session)
            ended.session = Session(removed.session, state)
            // The newest states include tokens that a refresh has returned and that are not saved yet.
            ended.newest = (removed.session, await refresher.newestStates(ofRemoved: removed.session, state))
        } catch {
            ended.problems = [
                error.recast(
                    message: "The session was removed, but its tokens cannot be read, so they were not revoked.",
                    hint: """
                        Wait until the session's tokens expire, or revoke the tokens in the provider's administration: the session has \
                        ended in this app, but the tokens may still be valid. If another version of the app wrote the session, run \
                        that version for further logouts, so that the SDK revokes the tokens.
                        """
                )
            ]
        }
        return ended
    }

    private func finish(
        _ ended: [LoggedOutSession],
        _ options: LogoutOptions,
        since started: Duration
    ) async -> [LogoutResult] {
        var results: [LogoutResult] = []
        let settled = await settle(ended, revokesTokens: true, since: started)
        for (ended, (tokens, var problems)) in zip(ended, settled) {
            guard !ended.hadExpired else { continue }
            let page = await logoutPage(for: ended.session, tokens, options, &problems)
            events.emit(.loggedOut, provider: ended.session.provider, session: ended.session.id, since: started)
            results.append(
                LogoutResult(
                    session: ended.session,
                    browserURL: page.url,
                    awaitedReturn: page.awaitedReturn,
                    problems: problems
                )
            )
        }
        return results
    }

    /// Notifies the participants that sessions have ended, and revokes the sessions' tokens, for ``concurrentEnds`` sessions at a time.
    ///
    /// Returns each session's newest tokens and errors, in order; no tokens if `revokesTokens` is false or no tokens can be read.
    func settle(
        _ ended: [LoggedOutSession],
        revokesTokens: Bool,
        since started: Duration
    ) async -> [(tokens: TokenSet?, problems: [IdentityError])] {
        await withTaskGroup(of: (Int, TokenSet?, [IdentityError]).self) { group in
            var results = ended.map { (tokens: TokenSet?.none, problems: $0.problems) }
            func note(_ done: (index: Int, tokens: TokenSet?, problems: [IdentityError])) {
                results[done.index].tokens = done.tokens
                results[done.index].problems += done.problems
            }
            for (index, session) in ended.enumerated() {
                if index >= Self.concurrentEnds, let done = await group.next() { note(done) }
                group.addTask { [self] in
                    async let notified = participants.notifyEnded(session, since: started)
                    let (tokens, refusal) = revokesTokens ? await revoke(session) : (nil, nil)
                    return (index, tokens, await notified + [refusal].compactMap(\.self))
                }
            }
            for await done in group { note(done) }
            return results
        }
    }

    private func revoke(_ ended: LoggedOutSession) async -> (TokenSet?, IdentityError?) {
        guard let newest = ended.newest,
            let tokens = await refresher.lastTokens(in: newest.states, of: newest.stored)
        else { return (nil, nil) }
        return (tokens, await revocation.revoke(tokens, of: ended.session))
    }
}

/// A session that was removed from the store, with the data to notify participants and to revoke the tokens.
struct LoggedOutSession: Sendable {
    var session: Session
    /// The session as it was stored, and its newest states, which contain the tokens to revoke; nil if the session cannot be read.
    var newest: (stored: StoredSession, states: [SessionState])?
    var attachments: [String: Secret]
    /// Results and events omit a session that had expired, because every call already treated the session as unknown.
    let hadExpired: Bool
    /// Contains an error if the removed session cannot be read.
    var problems: [IdentityError] = []
}
