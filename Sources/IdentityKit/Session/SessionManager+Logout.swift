internal import IdentityHTTP
internal import Synchronization

extension SessionManager {
    /// Ends a session: removes it from the store first, then lets carts follow, then says where to send the browser.
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - postLogoutRedirectURI: Where the provider should send the browser afterwards; must be registered there.
    /// - Throws: ``IdentityError`` when there is no such session or the store fails; nothing else stops a logout.
    public func logout(_ id: SessionID, returningTo postLogoutRedirectURI: String? = nil) async throws -> LogoutResult {
        try await Correlation.scope {
            let started = environment.clock.elapsed
            guard let removed = try await store.remove(id) else { throw Self.unknownSession }
            unsaved.withLock { $0[id] = nil }
            let payload = try SessionPayload(removed.session)
            let session = Session(removed.session, payload)
            var problems: [IdentityError] = []
            for participant in participants {
                do {
                    try await participant.sessionEnded(session, attachments: removed.attachments)
                } catch {
                    problems.append(.wrapping(error))
                    emit(
                        .participantFailed(IdentityError.code(of: error)),
                        provider: session.provider,
                        session: id,
                        since: started
                    )
                }
            }
            var url: HTTPURL?
            do {
                let provider = try providers.provider(named: session.provider)
                url = try await provider.logoutURL(for: payload.tokens, returningTo: postLogoutRedirectURI)
            } catch {
                problems.append(.wrapping(error))
            }
            emit(.loggedOut, provider: session.provider, session: id, since: started)
            return LogoutResult(session: session, browserURL: url, problems: problems)
        }
    }

    /// Ends every session of a buyer, for example after a change of password or an order to forget the buyer.
    ///
    /// One that fails does not keep the others signed in.
    ///
    /// - Returns: What each logout did.
    /// - Throws: The first ``IdentityError``, after all have been tried.
    public func logoutAll(issuer: String, subject: String, tenant: String? = nil) async throws -> [LogoutResult] {
        var results: [LogoutResult] = []
        var failure: (any Error)?
        let filter = SessionFilter(tenant: tenant, buyer: (issuer, subject))
        for stored in try await store.sessions(matching: filter) {
            do {
                results.append(try await logout(stored.id))
            } catch let error as IdentityError where error.code == .sessionUnknown {
                continue
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return results
    }
}
