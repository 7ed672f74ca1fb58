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
    ///   - options: The options of this logout.
    /// - Returns: The ended session and the provider's logout page.
    /// - Throws: ``IdentityError`` when the return path does not belong to the app, when the session is unknown or when the store
    ///   fails; nothing else stops a logout.
    public func logout(_ id: SessionID, options: LogoutOptions) async throws -> LogoutResult {
        try await Correlation.scope { try await logouts.logout(id, options: options) }
    }

    /// Ends every session of a buyer, for example after a change of password or an order to forget the buyer.
    ///
    /// All are removed first, and a failure of one removal does not prevent the others.
    ///
    /// - Parameters:
    ///   - issuer: The buyer's issuer.
    ///   - subject: The buyer's subject at the issuer.
    ///   - tenant: Where the sessions are to end; nil for all tenants, or for the only one that the manager knows.
    /// - Returns: What each logout did; the tokens of eight sessions at a time are revoked.
    /// - Throws: The first ``IdentityError``, after all have been tried; also when the store has a session of the buyer that cannot
    ///   be read, and so cannot be removed.
    @discardableResult
    public func logoutAll(issuer: String, subject: String, tenant: String? = nil) async throws -> [LogoutResult] {
        try await Correlation.scope { try await logouts.logoutAll(issuer: issuer, subject: subject, tenant: tenant) }
    }

    /// Checks a browser's return from the provider's logout page (OpenID Connect RP-Initiated Logout 1.0 section 3).
    ///
    /// The session already ended before the browser was sent there, so the result only decides which page the buyer sees next. A
    /// `state` is accepted once, from the browser that was sent to the logout page, until
    /// ``SessionManager/Configuration/attemptLifetime`` has passed.
    ///
    /// - Parameters:
    ///   - callback: The parameters that the browser brought back.
    ///   - browserBinding: The binding cookie of that browser, from ``LogoutResult/awaitedReturn``.
    ///   - provider: The provider whose return address was called, if each provider has a separate address.
    /// - Returns: A confirmed logout, or an unconfirmed one when the return has no `state`.
    /// - Throws: ``IdentityError`` of kind ``IdentityError/Kind/rejected`` for a `state` that belongs to another browser, was used
    ///   before or has expired.
    public func completeLogout(
        _ callback: LogoutCallback,
        browserBinding: Secret?,
        provider: String? = nil
    ) async throws -> CompletedLogout {
        try await Correlation.scope {
            try await logoutPages.complete(callback, browserBinding: browserBinding, provider: provider)
        }
    }

    /// Executes a provider's request to end sessions (OpenID Connect Back-Channel Logout 1.0).
    ///
    /// Call it in the handler of the provider's back-channel logout `POST`, and send the result's status, headers and body. The
    /// request needs no further authentication: a signed token identifies the ended sessions, and each token is accepted once.
    ///
    /// - A token with a provider session (`sid`) ends the sessions that came from it.
    /// - If it also has a buyer (`sub`), it ends the buyer's sessions whose `sid` is unknown, too.
    /// - A token with only a buyer ends all sessions of the buyer.
    ///
    /// Only sessions of this provider, tenant and issuer end.
    ///
    /// - Parameters:
    ///   - name: The provider whose address received the request. Give each provider its own address.
    ///   - body: The unchanged body of the request; more than 16 KiB are refused.
    ///   - contentType: The request's `Content-Type`.
    /// - Returns: The response to send, and the sessions that were ended.
    public func backChannelLogout(
        provider name: String,
        body: [UInt8],
        contentType: String?
    ) async -> BackChannelLogoutResult {
        await Correlation.scope {
            await backChannelLogouts.logout(provider: name, body: body, contentType: contentType)
        }
    }
}
