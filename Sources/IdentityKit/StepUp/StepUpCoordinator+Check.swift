internal import FoundationEssentials

/// Checks that a login proves what a step-up requires.
///
/// A provider may ignore `prompt`, `max_age` and `acr_values` (OpenID Connect Core sections 3.1.2.1 and 5.5.1.1), so the ID token
/// decides.
extension StepUpCoordinator {
    /// Checks the new tokens of a step-up; does nothing for an ordinary login.
    ///
    /// - Throws: `IdentityError` with code ``IdentityError/Code/idTokenSubject`` for another buyer, and with
    ///   ``IdentityError/Code/idTokenAuthentication`` if `acr` or `auth_time` do not satisfy the requirement.
    func check(_ new: TokenSet, of attempt: LoginAttempt, at provider: ProviderDescriptor) async throws {
        guard let stepUp = attempt.stepUp else { return }
        let (session, tokens) = try await signedInSession(stepUp.session)
        guard provider.isSamePerson(new.buyer, as: Buyer(issuer: session.issuer, subject: session.subject)) else {
            throw IdentityError(
                .rejected,
                .idTokenSubject,
                "A different buyer signed in: issuer or subject differ from the session's.",
                hint: """
                    Ask the buyer to sign in with the account of the session. To use another account, let the buyer sign out first. The \
                    failed step-up did not change the session.
                    """,
                reference: "OpenID Connect Core section 3.1.2.1"
            )
        }
        guard stepUp.requirement.acceptsContext(of: new.claims) else {
            throw Self.failure(
                "the ID token has none of the requested acr values",
                "OpenID Connect Core section 5.5.1.1"
            )
        }
        try Self.checkTime(of: new, stepUp.requirement, startedAt: attempt.createdAt, replacing: tokens)
    }

    private static func checkTime(
        of new: TokenSet,
        _ requirement: StepUpRequirement,
        startedAt: Date,
        replacing old: TokenSet
    ) throws(IdentityError) {
        guard requirement.demandsLogin || requirement.maximumAge != nil else { return }
        let reference = "OpenID Connect Core section 3.1.2.1"
        guard let time = new.authenticatedAt else { throw failure("the ID token has no auth_time", reference) }
        let age = requirement.demandsLogin ? 0 : requirement.maximumAge?.timeInterval ?? 0
        guard time >= startedAt - age - ClockTolerance.seconds else {
            throw failure("the buyer authenticated too long ago (auth_time)", reference)
        }
        // Because clocks differ, the check above accepts an `auth_time` up to a minute before the step-up began. This may be the
        // `auth_time` of the session's earlier login, so the new one must be later. `auth_time` has whole seconds: if the earlier login was
        // in the last second before the step-up, both can be equal, so they are not compared.
        if requirement.demandsLogin, let earlier = old.authenticatedAt, earlier < startedAt - 1, time <= earlier {
            throw failure("the buyer did not authenticate again (auth_time)", reference)
        }
    }

    private static func failure(_ problem: String, _ reference: String) -> IdentityError {
        IdentityError(
            .rejected,
            .idTokenAuthentication,
            "The login does not satisfy the step-up: \(problem).",
            hint: """
                Check that the provider supports prompt=login, max_age and acr_values for this client, if the step-up requests them. \
                Check that the provider's ID tokens contain auth_time and acr. Compare this machine's clock with the provider's clock. \
                The failed step-up did not change the session.
                """,
            reference: reference
        )
    }
}
