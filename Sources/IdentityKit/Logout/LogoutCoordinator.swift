internal import FoundationEssentials

/// A session that was removed from the store, with the values for the remaining steps.
struct LoggedOutSession: Sendable {
    let session: Session
    /// The removed record and its newest state, which contain the tokens to revoke; nil if the record cannot be read, and if nothing is
    /// revoked.
    let newest: (stored: StoredSession, state: SessionState)?
    let attachments: [String: Secret]
    /// Whether the session had expired before its removal: every call already treated it as unknown, so its end is not reported.
    let hadExpired: Bool
    /// The failures after the session was removed.
    var problems: [IdentityError] = []
}

/// Ends sessions: removes them from the store first, then notifies carts and revokes the tokens.
struct LogoutCoordinator: SessionService {
    /// The number of sessions whose tokens are revoked concurrently.
    ///
    /// The limit exists so that a buyer with many sessions does not flood the provider.
    private static let concurrentRevocations = 8

    let context: SessionContext

    func logout(_ id: SessionID, options: LogoutOptions) async throws -> LogoutResult {
        var options = options
        options.returnPath = try options.returnPath.map(configuration.returnPaths.location(for:))
        let started = clock.elapsed
        let (results, failure) = await end([id], options, since: started)
        if let failure { throw failure }
        guard let result = results.first else { throw IdentityError.unknownSession }
        return result
    }

    func logoutAll(issuer: String, subject: String, tenant: String?) async throws -> [LogoutResult] {
        try await logoutAll(matching: SessionFilter(tenant: tenant, buyer: (issuer, subject))) { _ in true }
    }

    /// Ends the sessions that match the filter and that `isChosen` accepts.
    ///
    /// - Throws: The first failure, for example of a session that cannot be read, after the other sessions have ended.
    func logoutAll(
        matching filter: SessionFilter,
        where isChosen: @Sendable (SessionID) -> Bool
    ) async throws -> [LogoutResult] {
        let started = clock.elapsed
        let listing = try await visible.listing(filter)
        var options = LogoutOptions()
        options.sendsState = false
        let (results, failure) = await end(listing.sessions.map(\.id).filter(isChosen), options, since: started)
        if let failure = failure ?? listing.damage { throw failure }
        return results
    }

    /// Ends a guest's session and returns the problems; nil if there is no guest's session with this id.
    func endGuest(_ id: SessionID) async throws -> [IdentityError]? {
        guard let stored = try await visible.store.session(id), visible.isVisible(stored),
            try SessionState(stored).endReason == .guest
        else { return nil }
        do {
            var options = LogoutOptions()
            options.sendsState = false
            return try await logout(id, options: options).problems
        } catch let error as IdentityError where error.code == .sessionUnknown {
            // Another caller removed it first.
            return nil
        }
    }

    /// Ends a session whose buyer has a newer one, notifies participants such as carts, and reports the end as `kind`.
    ///
    /// No token is revoked (``TokenRevocation/revoke(_:of:)``).
    func endReplaced(_ id: SessionID, reporting kind: IdentityEvent.Kind) async throws {
        let started = clock.elapsed
        context.replaced.insert(id)
        let failure = await outlivingCaller { [self] in
            let (ended, failure) = await takeAll([id])
            for session in ended {
                _ = await participants.notifyEnded(session, since: started)
                guard !session.hadExpired else { continue }
                events.emit(kind, provider: session.session.provider, session: session.session.id, since: started)
            }
            return failure
        }
        if let failure {
            context.replaced.remove(id)
            throw failure
        }
    }

    /// Removes as many of the sessions as possible, and performs the remaining steps.
    private func end(
        _ ids: [SessionID],
        _ options: LogoutOptions,
        since started: Duration
    ) async -> (results: [LogoutResult], failure: (any Error)?) {
        await outlivingCaller { [self] in
            let (ended, failure) = await takeAll(ids)
            return (await finish(ended, options, since: started), failure)
        }
    }

    /// Removes as many of the sessions as possible; sessions that no longer exist count as removed.
    func takeAll(_ ids: [SessionID]) async -> (ended: [LoggedOutSession], failure: (any Error)?) {
        var ended: [LoggedOutSession] = []
        var failure: (any Error)?
        for id in ids {
            do {
                if let taken = try await take(id) { ended.append(taken) }
            } catch {
                failure = failure ?? error
            }
        }
        return (ended, failure)
    }

    /// Removes a session, and returns nil for an unknown one.
    func take(_ id: SessionID) async throws -> LoggedOutSession? {
        if visible.tenant != nil {
            // The session is read before it is removed, because a caller of this tenant must not end another tenant's session.
            guard let stored = try await visible.store.session(id), visible.isOurs(stored) else { return nil }
        }
        defer { cache?.remove(id) }
        guard let removed = try await visible.store.remove(id) else { return nil }
        let state: SessionState
        do { state = try SessionState(removed.session) } catch {
            return LoggedOutSession(
                session: Session(removed.session, .ended(.unreadable, nil)),
                newest: nil,
                attachments: removed.attachments,
                hadExpired: visible.lifetime.hasExpired(removed.session),
                problems: [
                    error.recast(
                        message: "The session was removed, but its tokens cannot be read, so they were not revoked.",
                        hint: """
                            The buyer is signed out. If another version of the app wrote the session, use that version for logouts: \
                            only it can revoke the tokens.
                            """
                    )
                ]
            )
        }
        return LoggedOutSession(
            session: Session(removed.session, state),
            // If the session has newer tokens that could not be saved yet, those must be revoked.
            newest: (removed.session, await refresher.newestState(ofRemoved: removed.session, state)),
            attachments: removed.attachments,
            hadExpired: visible.lifetime.hasExpired(removed.session)
        )
    }

    /// Performs the steps after the removal of sessions; a failed step becomes one of the problems in that session's result.
    private func finish(
        _ ended: [LoggedOutSession],
        _ options: LogoutOptions,
        since started: Duration
    ) async -> [LogoutResult] {
        var problems: [[IdentityError]] = []
        for session in ended {
            problems.append(session.problems + (await participants.notifyEnded(session, since: started)))
        }
        let revoked = await revoke(ended)
        var results: [LogoutResult] = []
        for (ended, (var problems, revoked)) in zip(ended, zip(problems, revoked)) {
            guard !ended.hadExpired else { continue }
            if let refusal = revoked.problem { problems.append(refusal) }
            let page = await providerLogout.page(for: ended.session, revoked.tokens, options, &problems)
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

    /// Revokes the tokens of ended sessions, at most ``concurrentRevocations`` at a time.
    ///
    /// - Returns: The tokens and an error, or nil, for each session, in the order of the sessions.
    private func revoke(_ ended: [LoggedOutSession]) async -> [(tokens: TokenSet?, problem: IdentityError?)] {
        await withTaskGroup(of: (Int, TokenSet?, IdentityError?).self) { group in
            var results = ended.map { _ in (tokens: TokenSet?.none, problem: IdentityError?.none) }
            for (index, session) in ended.enumerated() {
                if index >= Self.concurrentRevocations, let (done, tokens, problem) = await group.next() {
                    results[done] = (tokens, problem)
                }
                group.addTask { [self] in
                    guard let newest = session.newest,
                        let tokens = await refresher.lastTokens(in: newest.state, of: newest.stored)
                    else { return (index, nil, nil) }
                    return (index, tokens, await revocation.revoke(tokens, of: session.session))
                }
            }
            for await (done, tokens, problem) in group { results[done] = (tokens, problem) }
            return results
        }
    }
}
