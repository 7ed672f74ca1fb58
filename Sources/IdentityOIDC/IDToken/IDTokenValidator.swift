internal import FoundationEssentials
internal import IdentityCrypto
package import IdentityKit

/// Decides whether an ID token is to be trusted: a pure function of the token, the keys and the expectations.
///
/// OpenID Connect Core sections 3.1.3.7, 3.1.3.8 and, for a refreshed token, 12.2. The signature is always verified, also
/// where section 3.1.3.7 would let a client skip it.
package enum IDTokenValidator {
    /// Validates an ID token.
    ///
    /// - Throws: `IdentityError` of kind `rejected`; with code `id_token_key_unknown` when newer keys may help.
    package static func validate(
        _ token: Secret,
        keys: JSONWebKeySet,
        expecting expected: IDTokenExpectations
    ) throws(IdentityError) -> IDTokenClaims {
        let signature = try JSONWebToken(parsing: token)
        let checks = SignedTokenChecks(refusal: refusal, expected: expected)
        let algorithm = try checks.algorithm(of: signature, types: ["jwt", "id_token+jwt"])
        try checks.checkSignature(signature, algorithm, keys)
        let claims = signature.payload
        let issuer = try checks.issuer(claims)
        let authorizedParty = try checks.authorizedParty(claims)
        let subject = try checks.subject(claims)
        let (issuedAt, _) = try checks.times(claims)
        let authenticatedAt = try checks.time("auth_time", claims)
        try checkAge(authenticatedAt, expected)
        try checkAuthenticationContext(claims, expected)
        try checkNonce(claims, expected)
        try checkKind(claims)
        try checkAccessTokenHash(claims, algorithm, expected)
        try checkContinuity(
            expected,
            issuer: issuer,
            subject: subject,
            authenticatedAt: authenticatedAt,
            authorizedParty: authorizedParty
        )
        try checkIssuedLater(issuedAt, checks, expected)
        return IDTokenClaims(
            issuer: issuer,
            subject: subject,
            authenticatedAt: authenticatedAt,
            authorizedParty: authorizedParty,
            all: claims
        )
    }

    /// A provider may leave `typ` out of both, so that only its claims tell a logout token from an ID token; it has no nonce, as an
    /// ID token of a refresh has none.
    private static func checkKind(_ claims: JSONObject) throws(IdentityError) {
        guard claims["events"]?["http://schemas.openid.net/event/backchannel-logout"] == nil else {
            throw refusal.error(
                .idTokenMalformed,
                "is a logout token",
                "OpenID Connect Back-Channel Logout 1.0 section 2.4"
            )
        }
    }

    private static func checkAge(
        _ authenticatedAt: Date?,
        _ expected: IDTokenExpectations
    ) throws(IdentityError) {
        guard let maximumAge = expected.maximumAgeSeconds else { return }
        guard let authenticatedAt,
            expected.now.timeIntervalSince(authenticatedAt) <= Double(maximumAge) + expected.leeway
        else {
            throw failure(.idTokenAuthentication, "does not show a recent enough login", "section 3.1.3.7 item 13")
        }
    }

    private static func checkAuthenticationContext(
        _ claims: JSONObject,
        _ expected: IDTokenExpectations
    ) throws(IdentityError) {
        guard !expected.authenticationContexts.isEmpty else { return }
        guard let context = claims["acr"]?.string,
            expected.authenticationContexts.contains(where: { $0.isIdentical(to: context) })
        else {
            throw failure(.idTokenAuthentication, "does not meet the acr that was asked for", "section 3.1.3.7 item 12")
        }
    }

    private static func checkNonce(_ claims: JSONObject, _ expected: IDTokenExpectations) throws(IdentityError) {
        let given = (claims["nonce"]?.string).map { Secret($0) }
        if let nonce = expected.nonce {
            guard let given, given.isEqual(to: nonce) else {
                throw failure(.idTokenNonce, "does not hold this login's nonce", "section 3.1.3.7 item 11")
            }
        }
        guard !expected.refusesNonce || claims["nonce"] == nil else {
            throw failure(.idTokenNonce, "holds a nonce although none was sent", "section 2")
        }
        if let previous = expected.previous, claims["nonce"] != nil {
            guard let given, let nonce = previous.nonce, given.isEqual(to: nonce) else {
                throw failure(.idTokenNonce, "holds another nonce than the login's", "section 12.2")
            }
        }
    }

    private static func checkAccessTokenHash(
        _ claims: JSONObject,
        _ algorithm: SignatureAlgorithm,
        _ expected: IDTokenExpectations
    ) throws(IdentityError) {
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
            throw failure(.idTokenAccessTokenHash, "belongs to another access token", "section 3.1.3.8")
        }
    }

    private static func checkContinuity(
        _ expected: IDTokenExpectations,
        issuer: String,
        subject: String,
        authenticatedAt: Date?,
        authorizedParty: String?
    ) throws(IdentityError) {
        guard let previous = expected.previous else { return }
        guard issuer.isIdentical(to: previous.buyer.issuer) else {
            throw failure(.idTokenIssuer, "comes from another issuer than the login", "section 12.2")
        }
        guard subject.isIdentical(to: previous.buyer.subject) else {
            throw failure(.idTokenSubject, "is another buyer's than the login", "section 12.2")
        }
        // A session keeps milliseconds, a provider may write more digits.
        if let now = authenticatedAt, let then = previous.authenticatedAt, abs(now.timeIntervalSince(then)) > 0.001 {
            throw failure(.idTokenAuthentication, "names another time of login", "section 12.2")
        }
        if let now = authorizedParty, let then = previous.authorizedParty, !now.isIdentical(to: then) {
            throw failure(.idTokenAudience, "was issued to another client than at the login", "section 12.2")
        }
    }

    /// A refreshed token says when it was issued itself, so one that is older than the token that it renews is a replay.
    ///
    /// The clocks of a provider's machines may differ.
    private static func checkIssuedLater(
        _ issuedAt: Date,
        _ checks: SignedTokenChecks,
        _ expected: IDTokenExpectations
    ) throws(IdentityError) {
        guard let token = expected.previous?.idToken, let old = try? JSONWebToken(parsing: token),
            let then = try? checks.time("iat", old.payload)
        else { return }
        guard issuedAt >= then - expected.leeway else {
            throw failure(.idTokenTime, "was issued before the one that it renews", "section 12.2")
        }
    }

    private static let refusal = SignedTokenErrors(
        token: "ID token",
        hint: "If it goes on, the provider or its configuration here is wrong."
    )

    private static func failure(
        _ code: IdentityError.Code,
        _ problem: String,
        _ section: String
    ) -> IdentityError {
        refusal.error(code, problem, section)
    }
}
