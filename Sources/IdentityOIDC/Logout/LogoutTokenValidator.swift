internal import FoundationEssentials
internal import IdentityCrypto
package import IdentityKit

/// Validates logout tokens (OpenID Connect Back-Channel Logout 1.0 sections 2.4 and 2.6), without side effects.
package enum LogoutTokenValidator {
    /// The member of `events` that makes a token a logout token.
    static let event = "http://schemas.openid.net/event/backchannel-logout"
    /// How long after `iat` a token is accepted at most, even if `exp` is later; the clock tolerance is added to this time.
    ///
    /// The SDK stores the `jti` while the token is accepted. Without the limit, tokens with a distant `exp` would fill the store.
    private static let maximumLifetime: TimeInterval = 86_400

    /// Parses a logout token and checks everything except its signature.
    ///
    /// A token that fails here is refused without a request for the provider's keys. `expected` are the expectations for an ID token;
    /// expectations about one login, such as the nonce, are ignored.
    package static func read(
        _ token: Secret,
        expecting expected: consuming SignedTokenExpectations
    ) throws(IdentityError) -> UnverifiedLogoutToken {
        let jwt = try JSONWebToken(parsing: token, as: "logout token")
        let checks = SignedTokenChecks(errors: errors, expected: consume expected)
        let types = ["jwt", "logout+jwt", "application/logout+jwt"]
        let claims = jwt.claims
        let (algorithm, issuer): (SignatureAlgorithm, String)
        do throws(IdentityError) {
            algorithm = try checks.algorithm(of: jwt, types: types)
            issuer = try checks.issuer(claims)
            _ = try checks.checkAudience(claims)
        } catch {
            // A token with a wrong issuer, audience, type or algorithm may come from an attacker instead of the provider.
            throw error.suspectingAttack
        }
        let expiry = try acceptedUntil(try checks.times(claims), checks.expected)
        // A token with a nonce is not a logout token. It may be an ID token.
        guard claims["nonce"] == nil else {
            throw failure("has a nonce, which a logout token must not have", "2.4").suspectingAttack
        }
        guard claims["events"]?[event]?.object != nil else {
            throw failure("has no logout event in its events claim", "2.4")
        }
        guard let tokenID = try name("jti", claims) else { throw failure("has no jti", "2.4") }
        let subject = claims["sub"] == nil ? nil : try checks.subject(claims)
        let session = try name("sid", claims)
        guard subject != nil || session != nil else { throw failure("has neither sub nor sid", "2.4") }
        let accepted = LogoutTokenClaims(
            issuer: issuer,
            subject: subject,
            providerSessionID: session,
            tokenID: tokenID,
            expiresAt: expiry
        )
        return UnverifiedLogoutToken(
            checks: consume checks,
            jwt: consume jwt,
            algorithm: algorithm,
            claims: consume accepted
        )
    }

    private static func acceptedUntil(
        _ times: (issuedAt: Date, expiry: Date),
        _ expected: SignedTokenExpectations
    ) throws(IdentityError) -> Date {
        let last = min(times.expiry, times.issuedAt + maximumLifetime) + ClockTolerance.seconds
        guard expected.now < last else {
            throw errors.error(
                "is too old",
                "was issued at",
                times.issuedAt,
                now: expected.now,
                "OpenID Connect Back-Channel Logout 1.0 section 2.6"
            )
        }
        return last
    }

    private static func name(_ claim: String, _ claims: JSONObject) throws(IdentityError) -> String? {
        guard let value = claims[claim] else { return nil }
        guard let text = value.string, !text.isEmpty, text.utf8.count <= IDTokenClaims.maximumSessionIDBytes else {
            throw failure("has an invalid \(claim)", "2.4")
        }
        return text
    }

    private static let errors = SignedTokenErrors(
        token: "logout token",
        hint:
            "If every logout token fails this way, compare the provider's configuration with the provider's documentation. This call "
            + "ended no session."
    )

    private static func failure(_ problem: String, _ section: String) -> IdentityError {
        errors.error(.logoutTokenInvalid, problem, "OpenID Connect Back-Channel Logout 1.0 section \(section)")
    }
}

/// A logout token that has passed all checks except its signature; do not use the claims before ``verify(_:)`` has succeeded.
package struct UnverifiedLogoutToken {
    let checks: SignedTokenChecks
    let jwt: JSONWebToken
    let algorithm: SignatureAlgorithm
    let claims: LogoutTokenClaims

    package func verify(_ keys: JSONWebKeySet) throws(IdentityError) -> LogoutTokenClaims {
        do throws(IdentityError) {
            try checks.checkSignature(jwt, algorithm, keys)
        } catch {
            throw error.suspectingAttack
        }
        return claims
    }
}
