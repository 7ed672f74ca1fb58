internal import FoundationEssentials
internal import Synchronization

/// A session that is gone from the store, with what is still to be done about it.
struct EndedSession: Sendable {
    let session: Session
    /// Nil for a guest.
    let tokens: TokenSet?
    let attachments: [String: Secret]
    /// Whether its time was over before: it was unknown to every call and only waited for a sweep, so nobody is told of its end.
    let wasOver: Bool
}

extension SessionManager {
    /// Ends a session: removes it from the store first, then lets carts follow, has the tokens revoked, and says where to send
    /// the browser.
    ///
    /// No `state` goes along; ``logout(_:options:)`` sends one, and can check the browser's return.
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - postLogoutRedirectURI: Where the provider should send the browser afterwards; must be registered there.
    /// - Returns: The ended session and the provider's logout page.
    /// - Throws: ``IdentityError`` when there is no such session or the store fails; nothing else stops a logout.
    public func logout(_ id: SessionID, returningTo postLogoutRedirectURI: String? = nil) async throws -> LogoutResult {
        var options = LogoutOptions(returningTo: postLogoutRedirectURI)
        options.sendsState = false
        return try await logout(id, options: options)
    }

    /// Ends a session: removes it from the store first, then lets carts follow, has the tokens revoked, and says where to send
    /// the browser.
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - options: What to ask for.
    /// - Returns: The ended session and the provider's logout page.
    /// - Throws: ``IdentityError`` when the return path is none of the app's, when there is no such session or when the store
    ///   fails; nothing else stops a logout.
    public func logout(_ id: SessionID, options: LogoutOptions) async throws -> LogoutResult {
        try await Correlation.scope {
            var options = options
            options.returnPath = try returnPath(options.returnPath)
            let started = environment.clock.elapsed
            let (results, failure) = await end([id], options, since: started)
            if let failure { throw failure }
            guard let result = results.first else { throw IdentityError.unknownSession }
            return result
        }
    }

    /// Ends every session of a buyer, for example after a change of password or an order to forget the buyer.
    ///
    /// All are removed before anything else happens, and one that fails does not keep the others signed in.
    ///
    /// - Parameters:
    ///   - issuer: The buyer's issuer.
    ///   - subject: The buyer's subject at the issuer.
    ///   - tenant: Where the sessions are to end; nil for all tenants, or for the only one that the manager knows.
    /// - Returns: What each logout did; the tokens of eight sessions at a time are revoked.
    /// - Throws: The first ``IdentityError``, after all have been tried; also when the store has a session of the buyer that cannot
    ///   be read, and so cannot be removed.
    public func logoutAll(issuer: String, subject: String, tenant: String? = nil) async throws -> [LogoutResult] {
        try await Correlation.scope {
            let started = environment.clock.elapsed
            guard let filter = pinned(SessionFilter(tenant: tenant, buyer: (issuer, subject))) else { return [] }
            let listing = try await store.readable(filter)
            var options = LogoutOptions()
            options.sendsState = false
            let (results, failure) = await end(listing.sessions.map(\.id), options, since: started)
            if let failure = failure ?? listing.damage { throw failure }
            return results
        }
    }

    /// Removes sessions, all that can be, and does what follows.
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

    /// Runs what ends sessions to its end, also when the caller is cancelled meanwhile.
    ///
    /// In an unstructured task, for cancellation reaches all others: of a session that is gone from the store nobody else can have
    /// the tokens revoked or the cart detached, and a browser that hangs up must not keep either from happening. What runs here has
    /// limits of its own.
    func outlivingCaller<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) async -> Result {
        await Task { await body() }.value
    }

    /// Removes sessions, all that can be; those that are gone already count as removed.
    func takeAll(_ ids: [SessionID]) async -> (ended: [EndedSession], failure: (any Error)?) {
        var ended: [EndedSession] = []
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

    /// Removes a session; nil when there is none.
    private func take(_ id: SessionID) async throws -> EndedSession? {
        if configuration.tenant != nil {
            // Looked at before it is removed: another tenant's session must outlive whoever came upon its id here.
            guard let stored = try await store.session(id), isOurs(stored) else { return nil }
        }
        defer { cache?.remove(id) }
        guard let removed = try await store.remove(id) else { return nil }
        let state = try SessionState(removed.session)
        return EndedSession(
            session: Session(removed.session, state),
            // New tokens that could not be saved yet are the ones to be revoked.
            tokens: await refresher.newestTokens(ofRemoved: removed.session, state),
            attachments: removed.attachments,
            wasOver: lifetime.isOver(removed.session)
        )
    }

    /// Does what follows the removal of sessions; whatever fails is a problem of that session's logout.
    private func finish(
        _ ended: [EndedSession],
        _ options: LogoutOptions,
        since started: Duration
    ) async -> [LogoutResult] {
        var problems: [[IdentityError]] = []
        for session in ended { problems.append(await tellEnd(of: session, since: started)) }
        let refusals = await revoke(ended)
        var results: [LogoutResult] = []
        for (ended, (var problems, refusal)) in zip(ended, zip(problems, refusals)) {
            guard !ended.wasOver else { continue }
            if let refusal { problems.append(refusal) }
            let page = await logoutPage(for: ended.session, ended.tokens, options, &problems)
            emit(.loggedOut, provider: ended.session.provider, session: ended.session.id, since: started)
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

    /// Lets carts and others let go of a session that has ended.
    ///
    /// - Returns: What went wrong.
    func tellEnd(of ended: EndedSession, since started: Duration) async -> [IdentityError] {
        var problems: [IdentityError] = []
        for participant in participants {
            do {
                try await participant.sessionEnded(ended.session, attachments: ended.attachments)
            } catch {
                problems.append(.wrapping(error))
                emit(
                    .participantFailed(IdentityError.code(of: error)),
                    provider: ended.session.provider,
                    session: ended.session.id,
                    since: started
                )
            }
        }
        return problems
    }
}
