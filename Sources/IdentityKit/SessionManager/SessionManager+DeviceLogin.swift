extension SessionManager {
    /// Signs a buyer in on another device, for programs without a browser (RFC 8628).
    ///
    /// The method polls the provider until the buyer decides or the code expires: one request at a time, at the interval that the provider
    /// requests. The interval becomes longer if the provider asks for it (`slow_down`) or does not respond. When the code expires, the
    /// method sends a last poll if the pause after the previous poll has ended. If the task is cancelled, the polling ends at once.
    ///
    /// - Parameters:
    ///   - provider: The provider's name.
    ///   - options: The options of this login; redirect URI and return path have no effect on a device login.
    ///   - prompt: Shows the buyer the code and the page on which to enter it; called once, before the wait begins.
    /// - Returns: The new session.
    /// - Throws: ``IdentityError``: ``IdentityError/Code/unsupportedByProvider`` if the provider does not support device logins,
    ///   ``IdentityError/Code/accessDenied`` when the buyer refused, ``IdentityError/Code/attemptExpired`` when the code expired. Also the
    ///   errors of the provider, the store and `prompt`.
    public func deviceLogin(
        _ provider: String,
        options: LoginOptions = LoginOptions(),
        prompt: @Sendable (DeviceLoginPrompt) async throws -> Void
    ) async throws -> Session {
        try await Correlation.scope {
            let started = clock.elapsed
            let (device, descriptor) = try deviceProvider(provider)
            let authorization = try await device.deviceAuthorization(options)
            events.emit(.loginStarted, provider: provider, since: started)
            do {
                try await prompt(authorization.prompt)
                let tokens = try await tokens(for: authorization, from: device, startedAt: started)
                let session = try await revocation.revokingOnFailure(tokens, of: descriptor) {
                    try await creator.create(for: tokens, by: descriptor)
                }
                events.emit(.loginCompleted, provider: provider, session: session.id, since: started)
                return session
            } catch {
                throw events.failed(IdentityEvent.Kind.loginFailed, error, provider: provider, since: started)
            }
        }
    }

    private func deviceProvider(
        _ name: String
    ) throws(IdentityError) -> (device: any DeviceAuthorizing, descriptor: ProviderDescriptor) {
        let provider = try providers.provider(named: name)
        guard let device = provider as? any DeviceAuthorizing else {
            throw IdentityError(
                unsupported: "The provider \"\(name)\" has no device login (device authorization grant).",
                hint: "Use a login with a browser, or a provider that conforms to DeviceAuthorizing.",
                reference: "RFC 8628 section 4"
            )
        }
        try checkLockTime(of: provider)
        return (device, provider.descriptor)
    }

    private func tokens(
        for authorization: DeviceAuthorization,
        from device: any DeviceAuthorizing,
        startedAt start: Duration
    ) async throws -> TokenSet {
        var schedule = DevicePollSchedule(authorization, startedAt: start)
        var outage: IdentityError?
        while let pause = schedule.pause(at: clock.elapsed) {
            try await clock.sleep(for: pause)
            guard schedule.permitsPoll(at: clock.elapsed) else { break }
            switch try await device.poll(authorization) {
            case .authorized(let tokens): return tokens
            case .pending:
                outage = nil
                schedule.answered(at: clock.elapsed)
            case .slowDown:
                outage = nil
                schedule.answered(slowingDown: true, at: clock.elapsed)
            case .unanswered(let error):
                outage = error
                schedule.unanswered(retryAfter: error.retryAfter, at: clock.elapsed)
            }
        }
        throw IdentityError(
            .rejected,
            .attemptExpired,
            outage == nil
                ? "The device code expired before a poll showed that the buyer had signed in."
                : "The device code expired, and the last poll failed.",
            hint: "Start the login again.",
            reference: "RFC 8628 section 3.5",
            cause: outage
        )
    }
}
