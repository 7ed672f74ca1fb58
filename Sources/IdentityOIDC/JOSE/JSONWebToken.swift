package import IdentityCrypto
package import IdentityKit

/// An unverified JWT (RFC 7519 section 3): a compact JWS whose payload is a JSON object.
package struct JSONWebToken: Sendable {
    private let jws: CompactJWS
    /// The claims.
    package let claims: JSONObject

    var algorithm: String { jws.algorithm }
    package var keyID: String? { jws.keyID }
    var type: String? { jws.type }

    /// Parses a token.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - name: The token's name in errors.
    /// - Throws: `IdentityError` with code `id_token_malformed`.
    package init(parsing token: Secret, as name: String = "ID token") throws(IdentityError) {
        jws = try CompactJWS(parsing: token, as: name)
        guard let claims = (try? JSONValue(parsing: jws.payload))?.object else {
            throw jws.malformed("has claims that are not a JSON object")
        }
        self.claims = claims
    }

    /// A parsed token, or why it cannot be parsed.
    static func parsing(_ token: Secret) -> Result<JSONWebToken, IdentityError> {
        Result { () throws(IdentityError) in try JSONWebToken(parsing: token) }
    }

    func checkSignature(
        _ algorithm: SignatureAlgorithm,
        _ keys: JSONWebKeySet,
        mayUse: (String) -> Bool,
        failure: (IdentityError.Code, String) -> IdentityError
    ) throws(IdentityError) {
        try jws.checkSignature(algorithm, keys, mayUse: mayUse, failure: failure)
    }

    /// Verifies the signature only, for signed tokens other than ID tokens; the caller checks the claims.
    ///
    /// - Throws: `IdentityError`; with code `id_token_key_unknown` or `id_token_signature` when newer keys may help.
    package func verify(keys: JSONWebKeySet, algorithms: [SignatureAlgorithm]) throws(IdentityError) {
        try jws.verify(keys: keys, algorithms: algorithms)
    }
}

extension JSONWebToken: Redacted {
    package var description: String { "JSONWebToken(<redacted>)" }
}
