internal import FoundationEssentials

/// Has tokens revoked where the provider takes them back (RFC 7009).
struct TokenRevocation: Sendable {
    let providers: ProviderRegistry
    let environment: IdentityEnvironment
    let configuration: SessionManager.Configuration
    let events: EventSource

    /// Has the tokens of one session revoked, for as long as the configuration allows.
    ///
    /// - Returns: What went wrong.
    func revoke(_ tokens: TokenSet, of session: Session) async -> IdentityError? {
        guard configuration.revokesTokens,
            let revoking = (try? providers.provider(named: session.provider)) as? any TokenRevoking
        else { return nil }
        let started = environment.clock.elapsed
        do {
            try await withThrowingTaskGroup(of: Void.self) { [clock = environment.clock, configuration] group in
                group.addTask { try await revoking.revoke(tokens) }
                group.addTask {
                    try await clock.sleep(for: configuration.revocationTimeout)
                    throw Self.timedOut
                }
                try await group.next()
                group.cancelAll()
            }
            return nil
        } catch {
            let problem = IdentityError.wrapping(error)
            events.emit(
                .revocationFailed(problem.code),
                provider: session.provider,
                session: session.id,
                since: started
            )
            return problem
        }
    }

    private static var timedOut: IdentityError {
        IdentityError(
            .retryLater,
            .providerUnavailable,
            "The provider did not revoke the tokens in time.",
            hint: "The session has ended here. The tokens live on at the provider until their own end.",
            reference: "RFC 7009 section 2.2"
        )
    }
}
