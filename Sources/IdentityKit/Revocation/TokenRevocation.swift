internal import FoundationEssentials

/// Revokes tokens if the provider supports it (RFC 7009).
///
/// At many providers, the revocation of one token also invalidates the tokens of the buyer's other sessions. So tokens are not revoked if
/// this process replaced their session with a newer session, or if they come from a failed step-up of the same buyer.
package struct TokenRevocation: SessionService {
    let context: SessionContext

    /// Revokes the tokens of one session, within the configured time; returns the error of a failed revocation.
    func revoke(_ tokens: TokenSet, of session: Session) async -> IdentityError? {
        guard !context.replaced.contains(session.id) else { return nil }
        do {
            _ = try await revoke(tokens, of: session.provider, session.tenant, session.id)
            return nil
        } catch {
            return error
        }
    }

    /// Runs the last steps of a login; if they fail, revokes the login's tokens, because no session has these tokens.
    ///
    /// `kept` is the buyer of the session that a step-up should replace; nil for an ordinary login. After a failed step-up, the buyer keeps
    /// this session, so tokens of the same buyer are not revoked.
    func revokingOnFailure(
        _ tokens: TokenSet,
        of provider: ProviderDescriptor,
        keeping kept: Buyer? = nil,
        _ steps: () async throws -> Session
    ) async throws -> Session {
        do {
            return try await steps()
        } catch {
            await background.run { [self] in
                let started = clock.elapsed
                let isKept = kept.map { provider.isSamePerson($0, as: tokens.buyer) } ?? false
                let isRevoked =
                    isKept ? false : (try? await revoke(tokens, of: provider.name, provider.tenant, nil)) ?? false
                events.emit(.loginTokensDropped(isRevoked: isRevoked), provider: provider.name, since: started)
            }
            throw error
        }
    }

    /// Revokes tokens; returns false if the provider cannot revoke them or revocation is switched off.
    private func revoke(
        _ tokens: TokenSet,
        of provider: String,
        _ tenant: String,
        _ session: SessionID?
    ) async throws(IdentityError) -> Bool {
        guard configuration.revokesTokens,
            let revoking = try? providers.provider(ofStored: provider, tenant: tenant) as? any TokenRevoking
        else { return false }
        let started = clock.elapsed
        do {
            return try await Self.limited(to: configuration.revocationTimeout, on: clock) {
                try await revoking.revoke(tokens)
            }
        } catch {
            let problem = IdentityError.wrapping(error)
            events.emit(.revocationFailed(problem.code), provider: provider, session: session, since: started)
            throw problem
        }
    }

    /// Runs a revocation; after the time limit, cancels it and throws an error.
    package static func limited(
        to limit: Duration,
        on clock: any IdentityClock,
        _ revoke: @escaping @Sendable () async throws -> Bool
    ) async throws -> Bool {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask { try await revoke() }
            group.addTask {
                try await clock.sleep(for: limit)
                throw timedOut
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
    }

    private static var timedOut: IdentityError {
        IdentityError(
            .retryLater,
            .providerUnavailable,
            "The revocation of the tokens did not end within its time limit.",
            hint:
                "Wait until the tokens expire, or revoke the tokens in the provider's administration: the tokens may still be valid.",
            reference: "RFC 7009 section 2.2"
        )
    }
}
