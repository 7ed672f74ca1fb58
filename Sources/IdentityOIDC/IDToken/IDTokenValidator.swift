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
        let signature = try JSONWebSignature(parsing: token)
        let algorithm = try checkAlgorithm(signature, expected)
        try checkSignature(signature, algorithm, keys)
        let claims = signature.payload
        let issuer = try checkIssuer(claims, expected)
        let authorizedParty = try checkAudience(claims, expected)
        let subject = try checkSubject(claims, expected)
        let authenticatedAt = try checkTimes(claims, expected)
        try checkAuthenticationContext(claims, expected)
        try checkNonce(claims, expected)
        try checkAccessTokenHash(claims, algorithm, expected)
        try checkContinuity(
            expected,
            issuer: issuer,
            subject: subject,
            authenticatedAt: authenticatedAt,
            authorizedParty: authorizedParty
        )
        return IDTokenClaims(
            issuer: issuer,
            subject: subject,
            authenticatedAt: authenticatedAt,
            authorizedParty: authorizedParty,
            all: claims
        )
    }

    private static func checkAlgorithm(
        _ signature: JSONWebSignature,
        _ expected: IDTokenExpectations
    ) throws(IdentityError) -> SignatureAlgorithm {
        let type = signature.type?.lowercased()
        guard type == nil || type == "jwt" || type == "id_token+jwt" else {
            throw failure(.idTokenMalformed, "is a token of another kind", "section 2")
        }
        guard let algorithm = SignatureAlgorithm(rawValue: signature.algorithm),
            expected.algorithms.contains(algorithm)
        else {
            throw failure(
                .idTokenAlgorithm,
                "is signed with an algorithm that is not on the list",
                "section 3.1.3.7 item 7"
            )
        }
        return algorithm
    }

    private static func checkSignature(
        _ signature: JSONWebSignature,
        _ algorithm: SignatureAlgorithm,
        _ keys: JSONWebKeySet
    ) throws(IdentityError) {
        let candidates = keys.candidates(keyID: signature.keyID, algorithm: algorithm)
        guard !candidates.isEmpty else {
            throw failure(.idTokenKeyUnknown, "names a key that the provider does not publish", "section 10.1.1")
        }
        let isGood = candidates.contains {
            $0.verify(signature.signature, of: signature.signingInput, algorithm: algorithm)
        }
        guard isGood else { throw failure(.idTokenSignature, "has a wrong signature", "section 3.1.3.7 item 6") }
    }

    private static func checkIssuer(
        _ claims: JSONObject,
        _ expected: IDTokenExpectations
    ) throws(IdentityError) -> String {
        guard let issuer = claims["iss"]?.string, expected.issuers.isAccepted(issuer),
            expected.boundIssuer.map({ $0.isIdentical(to: issuer) }) ?? true
        else {
            throw IdentityError(
                .rejected,
                .idTokenIssuer,
                "The ID token comes from another issuer.",
                hint: "Accepted here: \(expected.boundIssuer ?? expected.issuers.summary).",
                reference: "OpenID Connect Core section 3.1.3.7 item 2",
                providerAnswer: IdentityError.ProviderAnswer(error: claims["iss"]?.string)
            )
        }
        return issuer
    }

    private static func checkAudience(
        _ claims: JSONObject,
        _ expected: IDTokenExpectations
    ) throws(IdentityError) -> String? {
        let audience: [String]
        switch claims["aud"] {
        case .string(let single): audience = [single]
        case .array(let values):
            audience = values.compactMap(\.string).count == values.count ? values.compactMap(\.string) : []
        default: audience = []
        }
        func isOurs(_ name: String) -> Bool { expected.audiences.contains { $0.isIdentical(to: name) } }
        guard audience.contains(where: isOurs), expected.allowsForeignAudiences || audience.allSatisfy(isOurs) else {
            throw failure(.idTokenAudience, "is meant for another client", "section 3.1.3.7 item 3")
        }
        guard let party = claims["azp"] else { return nil }
        guard let name = party.string, isOurs(name) else {
            throw failure(.idTokenAudience, "was issued to another client", "section 3.1.3.7 item 5")
        }
        return name
    }

    private static func checkSubject(
        _ claims: JSONObject,
        _ expected: IDTokenExpectations
    ) throws(IdentityError) -> String {
        var subject = claims["sub"]?.string
        if expected.acceptsNumericSubject, let number = claims["sub"]?.number?.integer { subject = String(number) }
        guard let subject, !subject.isEmpty, subject.utf8.count <= 255 else {
            throw failure(.idTokenSubject, "has no usable subject", "section 2")
        }
        return subject
    }

    private static func checkTimes(
        _ claims: JSONObject,
        _ expected: IDTokenExpectations
    ) throws(IdentityError) -> Date? {
        guard let expiry = try time("exp", claims), let issuedAt = try time("iat", claims) else {
            throw failure(.idTokenTime, "lacks exp or iat", "section 2")
        }
        guard expected.now < expiry + expected.leeway else {
            throw failure(.idTokenTime, "has expired", "section 3.1.3.7 item 9")
        }
        guard issuedAt <= expected.now + expected.leeway, issuedAt <= expiry else {
            throw failure(.idTokenTime, "was issued in the future", "section 3.1.3.7 item 10")
        }
        if let notBefore = try time("nbf", claims), notBefore > expected.now + expected.leeway {
            throw failure(.idTokenTime, "is not valid yet", "RFC 7519 section 4.1.5")
        }
        let authenticatedAt = try time("auth_time", claims)
        if let maximumAge = expected.maximumAgeSeconds {
            guard let authenticatedAt,
                expected.now.timeIntervalSince(authenticatedAt) <= Double(maximumAge) + expected.leeway
            else {
                throw failure(.idTokenAuthentication, "does not show a recent enough login", "section 3.1.3.7 item 13")
            }
        }
        return authenticatedAt
    }

    /// A NumericDate: a number between the years 1970 and 9999, and nothing else.
    private static func time(_ name: String, _ claims: JSONObject) throws(IdentityError) -> Date? {
        guard let value = claims[name] else { return nil }
        guard let seconds = value.number?.double, (0...253_402_300_799).contains(seconds) else {
            throw failure(.idTokenTime, "has an \(name) that is no time", "RFC 7519 section 2")
        }
        return Date(timeIntervalSince1970: seconds)
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

    private static func failure(
        _ code: IdentityError.Code,
        _ problem: String,
        _ section: String
    ) -> IdentityError {
        IdentityError(
            .rejected,
            code,
            "The ID token \(problem).",
            hint: "No token of this answer was kept. If it goes on, the provider or its configuration here is wrong.",
            reference: section.hasPrefix("RFC") ? section : "OpenID Connect Core \(section)"
        )
    }
}
