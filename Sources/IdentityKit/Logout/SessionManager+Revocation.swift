internal import FoundationEssentials

extension SessionManager {
    /// Has the tokens of ended sessions revoked, all at the same time and within one limit.
    ///
    /// - Returns: What went wrong, in the order of the sessions; nil for each where nothing did.
    func revoke(_ ended: [EndedSession]) async -> [IdentityError?] {
        await withTaskGroup(of: (Int, IdentityError?).self) { group in
            for (index, session) in ended.enumerated() {
                group.addTask { [self] in (index, await revoke(session.tokens, of: session.session)) }
            }
            return await group.reduce(into: ended.map { _ in nil }) { $0[$1.0] = $1.1 }
        }
    }

    /// Has tokens revoked, for as long as the configuration allows.
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
                    throw Self.revocationTimedOut
                }
                try await group.next()
                group.cancelAll()
            }
            return nil
        } catch {
            let problem = IdentityError.wrapping(error)
            emit(.revocationFailed(problem.code), provider: session.provider, session: session.id, since: started)
            return problem
        }
    }

    private static var revocationTimedOut: IdentityError {
        IdentityError(
            .retryLater,
            .providerUnavailable,
            "The provider did not revoke the tokens in time.",
            hint: "The session has ended here. The tokens live on at the provider until their own end.",
            reference: "RFC 7009 section 2.2"
        )
    }
}
