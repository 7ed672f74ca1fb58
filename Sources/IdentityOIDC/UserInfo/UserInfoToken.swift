internal import IdentityKit

/// Validates signed UserInfo responses (OpenID Connect Core section 5.3.2), without side effects.
enum UserInfoToken {
    /// Validates everything except `sub`, which the caller must compare with the session's buyer; the times may be missing.
    static func validate(
        _ token: Secret,
        keys: JSONWebKeySet,
        expecting expected: SignedTokenExpectations
    ) throws(IdentityError) -> JSONObject {
        let jwt = try JSONWebToken(parsing: token, as: errors.token)
        let checks = SignedTokenChecks(errors: errors, expected: expected)
        // Providers send "JWT" or no type. Access tokens (`at+jwt`, RFC 9068) and logout tokens (`logout+jwt`) are refused.
        let algorithm = try checks.algorithm(of: jwt, types: ["jwt"])
        try checks.checkSignature(jwt, algorithm, keys)
        _ = try checks.issuer(jwt.claims)
        _ = try checks.checkAudience(jwt.claims)
        try checks.optionalTimes(jwt.claims)
        return jwt.claims
    }

    /// Whether a text is an encrypted token (JWE, RFC 7516 section 7.1): five parts instead of three.
    static func isEncrypted(_ body: [UInt8]) -> Bool {
        body.count { $0 == UInt8(ascii: ".") } == 4
    }

    private static let errors = SignedTokenErrors(
        token: "UserInfo response",
        hint:
            "If the message is about a time, compare the clocks of this machine and of the provider. Otherwise compare the client's "
            + "registration at the provider with the provider's configuration. The response was not used."
    )
}
