internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityHTTP

extension SessionManager {
    /// Executes a provider's request to end sessions (OpenID Connect Back-Channel Logout 1.0).
    ///
    /// Call this method in the handler of the provider's back-channel logout `POST`, and send the result's status, headers and body. The
    /// request needs no further authentication: a signed token identifies the ended sessions, and each token is accepted once.
    ///
    /// - A token that names only a session of the provider (`sid`) ends the sessions with this `sid`.
    /// - A token that names a session of the provider and a buyer (`sub`) ends the buyer's sessions with this `sid`, and the buyer's
    ///   sessions whose `sid` is unknown.
    /// - A token that names only a buyer ends all sessions of the buyer.
    ///
    /// Only sessions of this provider, its tenant and the token's issuer end; ``ProviderDescriptor/equivalentIssuers`` count as one issuer.
    ///
    /// - Parameters:
    ///   - name: The provider whose back-channel logout address received the request. Give each provider a separate address.
    ///   - body: The unchanged body of the request; more than 16 KiB are refused.
    ///   - contentType: The request's `Content-Type`.
    /// - Returns: The response to send, and the sessions that were ended.
    public func backChannelLogout(
        provider name: String,
        body: [UInt8],
        contentType: String?
    ) async -> BackChannelLogoutResult {
        await Correlation.scope {
            let started = clock.elapsed
            let (ended, failure) = await endSessions(provider: name, body, contentType)
            let problems = await background.run { [self] in
                let settled = await settle(ended, revokesTokens: false, since: started)
                for session in ended where !session.hadExpired {
                    events.emit(.loggedOut, provider: name, session: session.session.id, since: started)
                }
                return settled.flatMap(\.problems)
            }
            if let failure {
                events.emit(.logoutRefused(failure.code), provider: name, since: started, because: failure)
            }
            let sessions = ended.filter { !$0.hadExpired }.map(\.session)
            return BackChannelLogoutResult(sessions: sessions, problems: problems, error: failure)
        }
    }

    /// Removes the sessions first, then marks the logout token as used: after a failed removal, the provider can send the token again.
    private func endSessions(
        provider name: String,
        _ body: [UInt8],
        _ contentType: String?
    ) async -> (ended: [LoggedOutSession], failure: IdentityError?) {
        var ended: [LoggedOutSession] = []
        do {
            let provider = try providers.provider(named: name)
            let marks = try usedTokens(for: provider)
            let token = try Self.logoutToken(in: body, contentType: contentType)
            let claims = try await marks.supporting.validate(logoutToken: token)
            guard claims.subject != nil || claims.providerSessionID != nil else { throw Self.nameless }
            let key = try claims.key(at: provider.descriptor)
            guard try await !marks.store.isUsed(key) else { throw Self.replayed }
            let listing = try await visible.listing(claims.filter(for: provider.descriptor))
            let failure: (any Error)?
            let concerned = listing.sessions.filter { claims.concerns($0, at: provider.descriptor) }
            (ended, failure) = await removeAll(concerned.map(\.id))
            // The token may name a session that could not be read and was therefore not removed. The request must not succeed then.
            if let failure = failure ?? listing.damage { throw failure }
            guard try await mark(key, until: claims.expiresAt, in: marks.store) else { throw Self.replayed }
            return (ended, nil)
        } catch {
            return (ended, .wrapping(error))
        }
    }

    /// Reads the `logout_token` of a form, and ignores other fields (OpenID Connect Back-Channel Logout 1.0 section 2.5).
    private static func logoutToken(in body: [UInt8], contentType: String?) throws(IdentityError) -> Secret {
        guard MediaType.form.matches(contentType) else {
            throw invalidRequest("does not have the Content-Type application/x-www-form-urlencoded")
        }
        guard body.count <= 16_384 else { throw invalidRequest("is larger than 16 KiB") }
        guard let fields = FormEncoding.decode(body) else { throw invalidRequest("is not a well-formed form") }
        let tokens = fields.filter { $0.name.isIdentical(to: "logout_token") }
        guard tokens.count == 1, let token = tokens.first, !token.value.isEmpty else {
            throw invalidRequest("does not contain exactly one logout token")
        }
        return Secret(token.value)
    }

    private static func invalidRequest(_ problem: String) -> IdentityError {
        IdentityError(
            .rejected,
            .logoutTokenInvalid,
            "The back-channel logout request \(problem).",
            hint: """
                In the app, pass the body and the Content-Type of the HTTP request unchanged. If the app already does so, find out who \
                sent the malformed request. The request ended no session.
                """,
            reference: "OpenID Connect Back-Channel Logout 1.0 section 2.5"
        )
    }

    /// Marks a logout token as used; returns false if another request has already marked the token.
    private func mark(_ key: String, until expiry: Date, in store: any UsedTokenStore) async throws -> Bool {
        do {
            return try await store.markUsed(key, until: expiry)
        } catch {
            // The store may have saved the mark although it threw an error.
            guard (try? await store.isUsed(key)) == true else { throw error }
            return true
        }
    }

    private func usedTokens(
        for provider: any IdentityProvider
    ) throws(IdentityError) -> (supporting: any BackChannelLogoutSupporting, store: any UsedTokenStore) {
        guard let supporting = provider as? any BackChannelLogoutSupporting else {
            throw IdentityError(
                unsupported: "The provider \(provider.descriptor.name) does not support back-channel logout.",
                hint:
                    "Register the back-channel logout address only at a provider that supports it, such as one of kind openid.",
                reference: "OpenID Connect Back-Channel Logout 1.0 section 2.5"
            )
        }
        guard let used = store as? any UsedTokenStore else {
            throw IdentityError(
                configuration: "The store cannot record used logout tokens.",
                hint: "Use a store that conforms to UsedTokenStore.",
                reference: "OpenID Connect Back-Channel Logout 1.0 section 2.6"
            )
        }
        return (supporting, used)
    }

    private static var nameless: IdentityError {
        IdentityError(
            .rejected,
            .logoutTokenInvalid,
            "The logout token names no session and no buyer: it has no sid and no sub.",
            hint: "Report the logout token to the provider that sent it. No session was ended.",
            reference: "OpenID Connect Back-Channel Logout 1.0 section 2.4"
        )
    }

    private static var replayed: IdentityError {
        IdentityError(
            .rejected,
            .logoutTokenReplayed,
            "The logout token was used before.",
            hint: """
                Find out who sent the logout request: the provider repeated it, or an attacker replayed the logout token. Another request \
                with this token has ended the sessions that the token names. Sessions that began later may still exist.
                """,
            reference: "OpenID Connect Back-Channel Logout 1.0 section 2.6",
            isAttackSuspected: true
        )
    }
}

extension LogoutTokenClaims {
    /// The key under which the token is marked as used; the `jti` alone is not enough, because two issuers may use the same `jti`.
    fileprivate func key(at provider: ProviderDescriptor) throws -> String {
        // The length before each field makes the encoding unambiguous.
        let fields = [provider.name, provider.tenant, provider.clientID, issuer, tokenID]
        let text = fields.map { "\($0.utf8.count):\($0)" }.joined()
        return Base64URL.encode(try Digest.sha256(Array(text.utf8)))
    }

    /// A filter for the sessions that the claims may concern; ``concerns(_:at:)`` then checks each session.
    fileprivate func filter(for provider: ProviderDescriptor) -> SessionFilter {
        var filter = SessionFilter(provider: provider.name, tenant: provider.tenant)
        if let subject {
            filter.buyer = (issuer, subject)
        } else {
            filter.providerSessionID = providerSessionID
        }
        return filter
    }

    fileprivate func concerns(_ session: StoredSession, at provider: ProviderDescriptor) -> Bool {
        guard provider.isSameIssuer(session.issuer, as: issuer) else { return false }
        // If the logout token or the session has no `sid`, issuer and subject decide.
        guard let providerSessionID, let known = session.providerSessionID else { return true }
        return known.isIdentical(to: providerSessionID)
    }
}
