extension SessionManager {
    /// Signs a buyer in on another device, for programs without a browser: shows a code and waits until the buyer has
    /// entered it (RFC 8628).
    ///
    /// The provider is polled until the code expires, one request at a time, at the interval that the provider requests. The interval
    /// becomes longer if the provider asks for it (`slow_down`) or does not respond. The last poll is sent when the code expires, if the
    /// pause after the previous poll has ended by then. If the task is cancelled, the login ends at once.
    ///
    /// - Parameters:
    ///   - provider: The provider's name.
    ///   - options: The options of this login; redirect URI and return path have no effect on a device login.
    ///   - prompt: Shows the buyer the code and the page on which to enter it; called once, before the wait begins.
    /// - Returns: The new session.
    /// - Throws: ``IdentityError``: ``IdentityError/Code/unsupportedByProvider`` if the provider does not support device logins,
    ///   ``IdentityError/Code/accessDenied`` when the buyer refused, ``IdentityError/Code/attemptExpired`` when the code expired.
    public func deviceLogin(
        _ provider: String,
        options: LoginOptions = LoginOptions(),
        prompt: @Sendable (DeviceLoginPrompt) async throws -> Void
    ) async throws -> Session {
        try await deviceLogins.login(provider, options, prompt: prompt)
    }
}
