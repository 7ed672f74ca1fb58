internal import FoundationEssentials
internal import IdentityCrypto
package import IdentityKit

/// Validates ID tokens (OpenID Connect Core sections 3.1.3.7, 3.1.3.8 and, after a refresh, 12.2), without side effects.
///
/// The signature is always verified, although section 3.1.3.7 does not require this for a token from the token endpoint.
package enum IDTokenValidator {
    package static func validate(
        _ jwt: JSONWebToken,
        keys: JSONWebKeySet,
        expecting expected: SignedTokenExpectations
    ) throws(IdentityError) -> IDTokenClaims {
        let checks = SignedTokenChecks(errors: errors, expected: expected)
        let algorithm = try checks.algorithm(of: jwt, types: ["jwt", "id_token+jwt"])
        try checks.checkSignature(jwt, algorithm, keys)
        let claims = jwt.claims
        let identity = try checks.checkIdentity(claims)
        let (issuedAt, _) = try checks.times(claims)
        let authenticatedAt = try checks.pastTime("auth_time", claims)
        try checks.checkAge(authenticatedAt)
        try checks.checkAuthenticationContext(claims)
        try checks.checkKind(claims)
        try checks.checkAccessTokenHash(claims, algorithm)
        try checks.checkTimeOfLogin(authenticatedAt)
        try checks.checkIssuedLater(issuedAt)
        return IDTokenClaims(
            issuer: identity.issuer,
            subject: identity.subject,
            authenticatedAt: authenticatedAt,
            authorizedParty: identity.authorizedParty,
            all: claims
        )
    }

    /// Refuses the ID token of a refresh if `iss`, `sub` or `aud` is missing or wrong, or if `azp` or `nonce` is wrong.
    ///
    /// The signature and the times are not checked. So no keys are needed, and an expired ID token of another login is also reported.
    static func refuseTokenOfAnotherLogin(
        _ token: JSONWebToken,
        expecting expected: SignedTokenExpectations
    ) throws(IdentityError) {
        do throws(IdentityError) {
            _ = try SignedTokenChecks(errors: errors, expected: expected).checkIdentity(token.claims)
        } catch {
            throw error.suspectingAttack
        }
    }

    private static let errors = SignedTokenErrors(
        token: "ID token",
        hint:
            "If one login fails this way, start the login again. If every login or refresh fails this way, compare the provider's "
            + "configuration with the provider's documentation."
    )
}

// The checks that apply only to ID tokens; SignedTokenChecks.swift has the checks for all signed tokens.
extension SignedTokenChecks {
    fileprivate typealias Identity = (issuer: String, subject: String, authorizedParty: String?)

    fileprivate func checkIdentity(_ claims: JSONObject) throws(IdentityError) -> Identity {
        let issuer = try issuer(claims)
        let authorizedParty = try checkAudience(claims)
        let identity = (issuer: issuer, subject: try subject(claims), authorizedParty: authorizedParty)
        try checkNonce(claims)
        try checkSameLogin(identity)
        return identity
    }

    /// Refuses a logout token.
    ///
    /// A logout token without `typ` differs from an ID token only in its claims. A missing `nonce` proves nothing, because the ID token of
    /// a refresh may have no `nonce`. So `events` decides.
    fileprivate func checkKind(_ claims: JSONObject) throws(IdentityError) {
        guard claims["events"]?[LogoutTokenValidator.event] == nil else {
            throw errors.error(
                .idTokenMalformed,
                "is a logout token",
                "OpenID Connect Back-Channel Logout 1.0 section 2.4"
            )
        }
    }

    fileprivate func checkAge(_ authenticatedAt: Date?) throws(IdentityError) {
        guard let maximumAge = expected.maximumAgeSeconds else { return }
        guard let authenticatedAt,
            expected.now.timeIntervalSince(authenticatedAt) <= Double(maximumAge) + ClockTolerance.seconds
        else {
            let problem = "does not prove a login within max_age"
            throw errors.error(
                .idTokenAuthentication,
                problem,
                "section 3.1.3.7 item 13",
                advice:
                    "Check that the provider supports max_age for this client, and that its ID tokens contain auth_time."
            )
        }
    }

    fileprivate func checkAuthenticationContext(_ claims: JSONObject) throws(IdentityError) {
        guard !expected.authenticationContexts.isEmpty else { return }
        guard let context = claims["acr"]?.string,
            expected.authenticationContexts.contains(where: { $0.isIdentical(to: context) })
        else {
            let problem = "has none of the requested acr values"
            throw errors.error(
                .idTokenAuthentication,
                problem,
                "section 3.1.3.7 item 12",
                advice: "Check that the provider supports the requested acr_values for this client."
            )
        }
    }

    /// Checks `nonce`: a missing or wrong nonce may mean that an attacker replayed or injected the token.
    private func checkNonce(_ claims: JSONObject) throws(IdentityError) {
        let given = (claims["nonce"]?.string).map { Secret($0) }
        if let nonce = expected.nonce {
            guard let given, given.isEqual(to: nonce) else {
                throw errors.error(.idTokenNonce, "does not have this login's nonce", "section 3.1.3.7 item 11")
                    .suspectingAttack
            }
        }
        guard !expected.refusesNonce || claims["nonce"] == nil else {
            throw errors.error(.idTokenNonce, "has a nonce although none was sent", "section 2").suspectingAttack
        }
        if let previous = expected.previous, claims["nonce"] != nil {
            guard let given, let nonce = previous.nonce, given.isEqual(to: nonce) else {
                throw errors.error(.idTokenNonce, "has another nonce than the login", "section 12.2").suspectingAttack
            }
        }
    }

    fileprivate func checkAccessTokenHash(_ claims: JSONObject, _ algorithm: SignatureAlgorithm) throws(IdentityError) {
        guard let claim = claims["at_hash"], let accessToken = expected.accessToken else { return }
        let bytes = accessToken.revealBytes()
        let digest: [UInt8]?
        switch algorithm {
        case .rs256, .ps256, .es256: digest = try? Digest.sha256(bytes)
        case .rs384, .ps384, .es384: digest = try? Digest.sha384(bytes)
        case .rs512, .ps512, .es512, .edDSA: digest = try? Digest.sha512(bytes)
        }
        guard let digest, let text = claim.string, let given = Base64URL.decode(text),
            constantTimeEqual(given, Array(digest.prefix(digest.count / 2)))
        else {
            let problem = "has an at_hash that does not fit the access token"
            throw errors.error(.idTokenAccessTokenHash, problem, "section 3.1.3.8")
        }
    }

    private func checkSameLogin(_ identity: Identity) throws(IdentityError) {
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

    fileprivate func checkTimeOfLogin(_ authenticatedAt: Date?) throws(IdentityError) {
        // The session stores `auth_time` with a precision of milliseconds, but a provider may send more digits.
        guard let now = authenticatedAt, let then = expected.previous?.authenticatedAt,
            abs(now.timeIntervalSince(then)) > 0.001
        else { return }
        throw errors.error(.idTokenAuthentication, "has another auth_time than the login", "section 12.2")
    }

    /// Refuses an ID token that is older than the ID token of the session, because an older token may be a replay.
    ///
    /// The clock tolerance applies, because the clocks of a provider's machines may differ.
    fileprivate func checkIssuedLater(_ issuedAt: Date) throws(IdentityError) {
        guard let token = expected.previous?.idToken, let old = try? JSONWebToken(parsing: token),
            let then = try? time("iat", old.claims)
        else { return }
        guard issuedAt >= then - ClockTolerance.seconds else {
            throw errors.error(.idTokenTime, "was issued before the token that it replaces", "section 12.2")
        }
    }
}
