extension SessionManager {
    /// Signs a buyer in on another device, for programs without a browser: shows a code and waits until the buyer has
    /// entered it (RFC 8628).
    ///
    /// The provider is asked at the interval that it names, more slowly when it says so or does not answer, one request at a
    /// time, until the code expires. Cancelling the task ends the wait at once.
    ///
    /// - Parameters:
    ///   - provider: The provider's name.
    ///   - options: What to ask for; redirect URI and return path mean nothing here.
    ///   - prompt: Shows the buyer what to do; called once, before the waiting begins.
    /// - Returns: The new session.
    /// - Throws: ``IdentityError``: ``IdentityError/Code/unsupportedByProvider`` where the provider cannot do this,
    ///   ``IdentityError/Code/accessDenied`` when the buyer said no, ``IdentityError/Code/attemptExpired`` when the code expired.
    public func deviceLogin(
        _ provider: String,
        options: LoginOptions = LoginOptions(),
        prompt: @Sendable (DeviceLoginPrompt) async throws -> Void
    ) async throws -> Session {
        try await Correlation.scope {
            let started = environment.clock.elapsed
            let device = try deviceProvider(provider)
            let authorization = try await device.deviceAuthorization(options)
            emit(.loginStarted, provider: provider, since: started)
            do {
                try await prompt(authorization.prompt)
                let schedule = DevicePollSchedule(authorization, askedAt: started)
                let tokens = try await tokens(for: authorization, from: device, by: schedule)
                let session = try await saveLogin(tokens, by: try descriptor(of: provider))
                emit(.loginCompleted, provider: provider, session: session.id, since: started)
                return session
            } catch {
                emit(.loginFailed(IdentityError.code(of: error)), provider: provider, since: started)
                throw IdentityError.wrapping(error)
            }
        }
    }

    private func deviceProvider(_ name: String) throws(IdentityError) -> any DeviceAuthorizing {
        guard let device = try providers.provider(named: name) as? any DeviceAuthorizing else {
            throw IdentityError(
                .configuration,
                .unsupportedByProvider,
                "This provider has no login on another device.",
                hint: "Use a login with a browser.",
                reference: "RFC 8628 section 4"
            )
        }
        return device
    }

    private func tokens(
        for authorization: DeviceAuthorization,
        from device: any DeviceAuthorizing,
        by schedule: DevicePollSchedule
    ) async throws -> TokenSet {
        var schedule = schedule
        var outage: IdentityError?
        while let pause = schedule.pause(at: environment.clock.elapsed) {
            try await environment.clock.sleep(for: pause)
            guard schedule.pause(at: environment.clock.elapsed) != nil else { break }
            switch try await device.poll(authorization) {
            case .authorized(let tokens): return tokens
            case .pending:
                outage = nil
                schedule.answered()
            case .slowDown:
                outage = nil
                schedule.answered(slowingDown: true)
            case .unanswered(let error):
                outage = error
                schedule.unanswered(retryAfter: error.retryAfter)
            }
        }
        throw IdentityError(
            .rejected,
            .attemptExpired,
            outage == nil
                ? "The code expired before the buyer signed in."
                : "The code expired while the provider did not answer.",
            hint: "Start the login again.",
            reference: "RFC 8628 section 3.5",
            cause: outage
        )
    }
}
