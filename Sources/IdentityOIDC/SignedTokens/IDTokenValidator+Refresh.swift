internal import FoundationEssentials
internal import IdentityKit

extension IDTokenValidator {
    /// Refuses the ID token of a refresh if it belongs to another login: if its issuer, subject, audience, authorized party or nonce
    /// differ, or if a required claim is missing.
    ///
    /// The signature and the times are not checked. So no keys are needed, and an expired ID token of another login is also reported.
    ///
    /// - Throws: `IdentityError` with `isAttackSuspected`.
    static func refuseTokenOfAnotherLogin(
        _ token: JSONWebToken,
        expecting expected: SignedTokenExpectations
    ) throws(IdentityError) {
        do throws(IdentityError) {
            _ = try checkIdentity(token.claims, SignedTokenChecks(errors: errors, expected: expected))
        } catch {
            throw error.suspectingAttack
        }
    }

    /// Checks that the ID token of a refresh has the issuer, the buyer and the client of the old tokens.
    static func checkSameLogin(_ identity: Identity, _ expected: SignedTokenExpectations) throws(IdentityError) {
        guard let previous = expected.previous else { return }
        guard expected.issuers.isSame(identity.issuer, as: previous.buyer.issuer) else {
            throw errors.error(.idTokenIssuer, "has another issuer than the login", "section 12.2")
        }
        guard identity.subject.isIdentical(to: previous.buyer.subject) else {
            throw errors.error(.idTokenSubject, "belongs to another buyer than the login", "section 12.2")
        }
        if let now = identity.authorizedParty, let then = previous.authorizedParty, !now.isIdentical(to: then) {
            throw errors.error(.idTokenAudience, "was issued to another client than the login", "section 12.2")
        }
    }

    static func checkTimeOfLogin(
        _ authenticatedAt: Date?,
        _ expected: SignedTokenExpectations
    ) throws(IdentityError) {
        // The session stores `auth_time` in milliseconds, but a provider may send more digits.
        guard let now = authenticatedAt, let then = expected.previous?.authenticatedAt,
            abs(now.timeIntervalSince(then)) > 0.001
        else { return }
        throw errors.error(.idTokenAuthentication, "has another auth_time than the login", "section 12.2")
    }

    /// Refuses an ID token that was issued before the ID token that it replaces, because it may be a replay.
    ///
    /// The clock tolerance applies, because the clocks of a provider's machines may differ.
    static func checkIssuedLater(_ issuedAt: Date, _ checks: SignedTokenChecks) throws(IdentityError) {
        guard let token = checks.expected.previous?.idToken, let old = try? JSONWebToken(parsing: token),
            let then = try? checks.time("iat", old.claims)
        else { return }
        guard issuedAt >= then - ClockTolerance.seconds else {
            throw errors.error(.idTokenTime, "was issued before the token that it replaces", "section 12.2")
        }
    }
}
