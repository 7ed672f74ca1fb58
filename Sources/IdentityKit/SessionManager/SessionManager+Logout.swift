extension SessionManager {
    /// Ends a session as ``logout(_:options:)`` does, but without a `state` in the URL of the logout page.
    ///
    /// Without a `state`, the app cannot check the browser's return from the logout page.
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - postLogoutRedirectURI: The address to which the provider sends the browser after the logout. It must be registered at the
    ///     provider. If the value is nil, the provider gets the configured address.
    /// - Returns: The ended session and the provider's logout page.
    /// - Throws: ``IdentityError`` when the session does not exist, or when the store fails or cannot decrypt the session. Other failures
    ///   do not stop a logout: they are in ``LogoutResult/problems``.
    public func logout(_ id: SessionID, returningTo postLogoutRedirectURI: String? = nil) async throws -> LogoutResult {
        var options = LogoutOptions(returningTo: postLogoutRedirectURI)
        options.sendsState = false
        return try await logout(id, options: options)
    }

    /// Ends a session, and returns the provider's logout page.
    ///
    /// The method removes the session from the store. Then it notifies participants, such as carts, and revokes the tokens.
    ///
    /// A logout of the session with equal options may already run in this process, for example because the buyer clicked twice. In this
    /// case, the call waits for that logout and returns its result. A later call, or a call in another process, throws
    /// ``IdentityError/Code/sessionUnknown`` and gets no logout page.
    ///
    /// - Throws: ``IdentityError`` when the return path is not allowed, when the session does not exist, or when the store fails or cannot
    ///   decrypt the session. Other failures do not stop a logout: they are in ``LogoutResult/problems``.
    public func logout(_ id: SessionID, options: LogoutOptions) async throws -> LogoutResult {
        try await Correlation.scope {
            var checked = options
            checked.returnPath = try options.returnPath.map(configuration.returnPaths.location(for:))
            return try await context.runningLogouts.run(id, checked) { [self, checked] in
                try await Logout.$isCurrent.withValue(true) { try await end(id, checked) }
            }
        }
    }

    /// Ends every session of a buyer, for example after a password change or a request to erase the buyer's data.
    ///
    /// All sessions are removed from the store first. If one removal fails, the other sessions are still removed.
    ///
    /// - Parameters:
    ///   - issuer: The buyer's issuer. If a provider lists it among its ``ProviderDescriptor/equivalentIssuers``, the buyer's sessions
    ///     under the provider's other equivalent issuers end, too.
    ///   - subject: The buyer's subject at the issuer.
    ///   - tenant: The tenant whose sessions end; nil for all tenants that the manager serves.
    /// - Returns: The results of the logouts. The tokens of at most eight sessions are revoked at the same time.
    /// - Throws: ``IdentityError``: of the store when it cannot list the sessions; otherwise the first error, after all removals were
    ///   tried. A session that may belong to the buyer, but cannot be read, also causes an error, because it was not removed.
    @discardableResult
    public func logoutAll(issuer: String, subject: String, tenant: String? = nil) async throws -> [LogoutResult] {
        let filter = SessionFilter(tenant: tenant, buyer: (issuer, subject))
        return try await Correlation.scope { try await endAll(matching: filter) }
    }
}
