internal import IdentityCrypto
internal import IdentityKit

/// Validates signed UserInfo responses (OpenID Connect Core section 5.3.2): a pure function of the token, the keys and the
/// expectations.
enum UserInfoToken {
    /// Validates a token: signature, issuer, audience, and times if it has any.
    ///
    /// The caller compares `sub`.
    ///
    /// - Throws: `IdentityError` of kind `rejected`; with code `id_token_key_unknown` when newer keys may help.
    static func validate(
        _ token: Secret,
        keys: JSONWebKeySet,
        expecting expected: IDTokenExpectations
    ) throws(IdentityError) -> JSONObject {
        let signature = try JSONWebToken(parsing: token)
        let checks = SignedTokenChecks(errors: errors, expected: expected)
        // Libraries send "JWT" or nothing; the type of an access token or of a logout token is another one.
        let algorithm = try checks.algorithm(of: signature, types: ["jwt"])
        try checks.checkSignature(signature, algorithm, keys)
        _ = try checks.issuer(signature.claims)
        _ = try checks.authorizedParty(signature.claims)
        try checks.optionalTimes(signature.claims)
        return signature.claims
    }

    /// Whether a text is an encrypted token (JWE, RFC 7516 section 7.1): five parts instead of three.
    static func isEncrypted(_ body: [UInt8]) -> Bool {
        body.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).count == 5
    }

    private static let errors = SignedTokenErrors(
        token: "UserInfo response",
        hint: "The response was not used. Compare the client's registration at the provider with the configuration."
    )
}
