internal import FoundationEssentials

/// Revokes tokens if the provider supports it (RFC 7009).
package struct TokenRevocation: SessionService {
    let context: SessionContext

    /// Revokes the tokens of one session, within the configured time.
    ///
    /// The tokens of a replaced session are not revoked, for example those of a refresh that ends after the session was replaced: many
    /// providers keep one grant for a buyer and a client, and revoking a token of this grant invalidates the tokens of the newer session.
    ///
    /// - Returns: The error if the revocation failed; nil if it succeeded, or if none was tried because the session was replaced,
    ///   revocation is switched off, or the provider does not support it.
    func revoke(_ tokens: TokenSet, of session: Session) async -> IdentityError? {
        guard !context.replaced.contains(session.id) else { return nil }
        do {
            _ = try await revoke(tokens, of: session.provider, session.tenant, session.id)
            return nil
        } catch {
            return error
        }
    }

    /// Runs the last steps of a login; if they fail, the tokens are revoked, because no session has them, and the observers are told.
    ///
    /// `kept` is the buyer whose session stays if a step-up fails; nil for an ordinary login. Tokens of this buyer are not revoked: many
    /// providers keep one grant for a buyer and a client, and revoking a token of this grant invalidates the tokens of that session.
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

    /// - Returns: Whether the provider revoked the tokens; false if it does not support revocation or revocation is switched off.
    private func revoke(
        _ tokens: TokenSet,
        of provider: String,
        _ tenant: String,
        _ session: SessionID?
    ) async throws(IdentityError) -> Bool {
        guard configuration.revokesTokens,
            let revoking = try? visible.providers.provider(ofStored: provider, tenant: tenant) as? any TokenRevoking
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

    /// Runs a revocation, and cancels it with an error after this limit.
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
