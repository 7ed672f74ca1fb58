internal import FoundationEssentials

/// Checks that a login proves what a step-up requires, without I/O.
///
/// A provider may ignore `prompt`, `max_age` and `acr_values` (OpenID Connect Core sections 3.1.2.1 and 5.5.1.1), so the ID token
/// decides.
struct StepUpCheck: Sendable {
    let requirement: StepUpRequirement
    let provider: ProviderDescriptor
    /// When the step-up began.
    let startedAt: Date
    /// The session that is to be replaced.
    let session: StoredSession
    /// The tokens of that session.
    let tokens: TokenSet

    /// Checks new tokens.
    ///
    /// - Throws: `IdentityError` with code ``IdentityError/Code/idTokenSubject`` for another buyer, and with
    ///   ``IdentityError/Code/idTokenAuthentication`` if `acr` or `auth_time` do not satisfy the requirement.
    func check(_ new: TokenSet) throws(IdentityError) {
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
        guard requirement.acceptsContext(of: new.claims) else {
            throw failure("the ID token has none of the requested acr values", "OpenID Connect Core section 5.5.1.1")
        }
        try checkTime(new)
    }

    private func checkTime(_ new: TokenSet) throws(IdentityError) {
        guard requirement.demandsLogin || requirement.maximumAge != nil else { return }
        let reference = "OpenID Connect Core section 3.1.2.1"
        guard let time = new.authenticatedAt else { throw failure("the ID token has no auth_time", reference) }
        let age = requirement.demandsLogin ? 0 : requirement.maximumAge?.timeInterval ?? 0
        guard time >= startedAt - age - ClockTolerance.seconds else {
            throw failure("the buyer authenticated too long ago (auth_time)", reference)
        }
        // The check above tolerates clocks that differ. If `auth_time` is not later than in the session's earlier login, the buyer did not
        // authenticate again. `auth_time` has whole seconds, so a login less than a second before the step-up is not compared.
        if requirement.demandsLogin, let earlier = tokens.authenticatedAt, earlier < startedAt - 1, time <= earlier {
            throw failure("the buyer did not authenticate again (auth_time)", reference)
        }
    }

    private func failure(_ problem: String, _ reference: String) -> IdentityError {
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
