internal import FoundationEssentials
internal import IdentityCrypto

extension SessionManager {
    /// Carries out a provider's request to end sessions (OpenID Connect Back-Channel Logout 1.0).
    ///
    /// Call it where the app receives the `POST` at the provider's back-channel logout address, and answer with what the result
    /// says. The request needs no other proof: a signed token says which sessions have ended, and it counts once.
    ///
    /// A token that names a session of the provider ends the sessions here that came from it. Where it names the buyer too, so do
    /// sessions of that buyer of which nothing is known. A token that names the buyer alone ends all the buyer's sessions. In each
    /// case only sessions of this provider, tenant and issuer end.
    ///
    /// - Parameters:
    ///   - name: The provider whose address received the request: give each provider one of its own.
    ///   - body: The request's body, as it came; more than 16 KiB are refused.
    ///   - contentType: The request's `Content-Type`.
    /// - Returns: The answer to send, and what was done.
    public func backChannelLogout(
        provider name: String,
        body: [UInt8],
        contentType: String?
    ) async -> BackChannelLogoutResult {
        await Correlation.scope {
            let started = environment.clock.elapsed
            let (ended, failure) = await endSessions(provider: name, body, contentType)
            let problems = await outlivingCaller { [self] in
                var problems: [IdentityError] = []
                for session in ended {
                    problems += await tellEnd(of: session, since: started)
                    guard !session.wasOver else { continue }
                    emit(.loggedOut, provider: name, session: session.session.id, since: started)
                }
                return problems
            }
            if let failure {
                emit(.logoutRefused(failure.code), provider: name, since: started)
            }
            let sessions = ended.filter { !$0.wasOver }.map(\.session)
            return BackChannelLogoutResult(sessions: sessions, problems: problems, error: failure)
        }
    }

    /// Removes the sessions that a request means, then remembers its token.
    ///
    /// In this order: a store that fails in between leaves the token unused, and the provider's next attempt finds what is left.
    private func endSessions(
        provider name: String,
        _ body: [UInt8],
        _ contentType: String?
    ) async -> (ended: [EndedSession], failure: IdentityError?) {
        var ended: [EndedSession] = []
        do {
            let provider = try providers.provider(named: name)
            let marks = try usedTokens(for: provider)
            let token = try BackChannelLogoutRequest.token(in: body, contentType: contentType)
            let notice = try await marks.supporting.validate(logoutToken: token)
            let key = try notice.key(at: provider.descriptor)
            guard try await !marks.store.isUsed(key) else { throw Self.replayed }
            let (sessions, damage) = try await store.sessionsAndDamage(
                matching: notice.filter(for: provider.descriptor)
            )
            let failure: (any Error)?
            (ended, failure) = await takeAll(sessions.filter(notice.means).map(\.id))
            // A session that cannot be read may be meant, and lives on: the provider must not hear that it is gone.
            if let failure = failure ?? damage { throw failure }
            guard try await mark(key, until: notice.expiresAt, in: marks.store) else { throw Self.replayed }
            return (ended, nil)
        } catch {
            return (ended, .wrapping(error))
        }
    }

    /// Marks a token as used; false when it was marked while its sessions were removed.
    private func mark(_ key: String, until expiry: Date, in store: any UsedTokenStore) async throws -> Bool {
        do {
            return try await store.markUsed(key, until: expiry)
        } catch {
            // An error of a commit does not mean that nothing was committed: read before judging.
            guard (try? await store.isUsed(key)) == true else { throw error }
            return true
        }
    }

    private func usedTokens(
        for provider: any IdentityProvider
    ) throws(IdentityError) -> (supporting: any BackChannelLogoutSupporting, store: any UsedTokenStore) {
        guard let supporting = provider as? any BackChannelLogoutSupporting else {
            throw IdentityError(
                .configuration,
                .unsupportedByProvider,
                "The provider sends no logout tokens.",
                hint: "Route the back-channel logout requests of a provider that does to its own name."
            )
        }
        guard let used = store as? any UsedTokenStore else {
            throw IdentityError(
                .configuration,
                .configurationInvalid,
                "The store cannot remember which logout tokens were used.",
                hint: "Take a store that is a UsedTokenStore."
            )
        }
        return (supporting, used)
    }

    private static var replayed: IdentityError {
        IdentityError(
            .rejected,
            .logoutTokenReplayed,
            "The logout token was used before.",
            hint:
                "A provider that tries again after a success, or somebody who has seen the token. Nothing is left to be done.",
            reference: "OpenID Connect Back-Channel Logout 1.0 section 2.6"
        )
    }
}

extension LogoutNotice {
    /// What the token is remembered by: `jti` is unique at its issuer only.
    fileprivate func key(at provider: ProviderDescriptor) throws -> String {
        // Each field stands behind its length: two lists of fields never give the same text.
        let fields = [provider.name, provider.tenant, provider.clientID, issuer, tokenID]
        let text = fields.map { "\($0.utf8.count):\($0)" }.joined()
        return Base64URL.encode(try Digest.sha256(Array(text.utf8)))
    }

    /// Finds the sessions that may be meant.
    fileprivate func filter(for provider: ProviderDescriptor) -> SessionFilter {
        var filter = SessionFilter(provider: provider.name, tenant: provider.tenant)
        if let subject {
            filter.buyer = (issuer, subject)
        } else {
            filter.providerSessionID = providerSessionID
        }
        return filter
    }

    /// Whether a session that was found is meant.
    fileprivate func means(_ session: StoredSession) -> Bool {
        guard session.issuer.isIdentical(to: issuer) else { return false }
        // Stored before this was recorded, or at a provider that names sessions in its logout tokens only.
        guard let providerSessionID, let known = session.providerSessionID else { return true }
        return known.isIdentical(to: providerSessionID)
    }
}
