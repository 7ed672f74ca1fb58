internal import FoundationEssentials
package import IdentityKit

/// Decides whether a logout token is to be trusted: a pure function of the token, the keys and the expectations.
///
/// OpenID Connect Back-Channel Logout 1.0 sections 2.4 and 2.6.
package enum LogoutTokenValidator {
    /// The member of `events` that makes a token a logout token.
    private static let event = "http://schemas.openid.net/event/backchannel-logout"
    /// How long after its issue a token is accepted at most, whatever its `exp` says: as long its `jti` must be remembered.
    private static let maximumLifetime: TimeInterval = 86_400
    /// How long `sid` and `jti` may be, in bytes.
    package static let maximumNameBytes = 512

    /// Validates a logout token.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - keys: The provider's keys.
    ///   - expected: What an ID token of the same provider for the same client is checked against; what is peculiar to a login
    ///     is not looked at.
    /// - Throws: `IdentityError` of kind `rejected`; with code `id_token_key_unknown` when newer keys may help.
    package static func validate(
        _ token: Secret,
        keys: JSONWebKeySet,
        expecting expected: IDTokenExpectations
    ) throws(IdentityError) -> LogoutNotice {
        try read(token, expecting: expected).verify(keys)
    }

    /// Checks everything but the signature, which needs the provider's keys: what could not be good by any key is refused before
    /// one is asked for.
    ///
    /// - Throws: `IdentityError` of kind `rejected`.
    static func read(
        _ token: Secret,
        expecting expected: IDTokenExpectations
    ) throws(IdentityError) -> UnverifiedLogoutToken {
        let signature = try JSONWebToken(parsing: token)
        let checks = SignedTokenChecks(refusal: refusal, expected: expected)
        let types = ["jwt", "logout+jwt", "application/logout+jwt"]
        let algorithm = try checks.algorithm(of: signature, types: types)
        let claims = signature.payload
        let issuer = try checks.issuer(claims)
        _ = try checks.authorizedParty(claims)
        let expiry = try lastMoment(try checks.times(claims), expected)
        guard claims["events"]?[event]?.object != nil else {
            throw failure("does not say that it is one, in its events", "2.4")
        }
        guard claims["nonce"] == nil else { throw failure("has a nonce, as an ID token has", "2.4") }
        guard let tokenID = try name("jti", claims) else { throw failure("has no jti", "2.4") }
        let subject = claims["sub"] == nil ? nil : try checks.subject(claims)
        let session = try name("sid", claims)
        guard subject != nil || session != nil else { throw failure("names neither a buyer nor a session", "2.4") }
        let notice = LogoutNotice(
            issuer: issuer,
            subject: subject,
            providerSessionID: session,
            tokenID: tokenID,
            expiresAt: expiry
        )
        return UnverifiedLogoutToken(checks: checks, signature: signature, algorithm: algorithm, notice: notice)
    }

    /// When the token stops being accepted, which must not have come yet.
    private static func lastMoment(
        _ times: (issuedAt: Date, expiry: Date),
        _ expected: IDTokenExpectations
    ) throws(IdentityError) -> Date {
        let last = min(times.expiry, times.issuedAt + maximumLifetime) + expected.leeway
        guard expected.now < last else {
            throw refusal.error(
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
        guard let text = value.string, !text.isEmpty, text.utf8.count <= maximumNameBytes else {
            throw failure("has an unusable \(claim)", "2.4")
        }
        return text
    }

    private static let refusal = SignedTokenErrors(
        token: "logout token",
        hint: "No session was ended by it. If it goes on, the provider or its configuration here is wrong."
    )

    private static func failure(_ problem: String, _ section: String) -> IdentityError {
        refusal.error(.logoutTokenInvalid, problem, "OpenID Connect Back-Channel Logout 1.0 section \(section)")
    }
}
