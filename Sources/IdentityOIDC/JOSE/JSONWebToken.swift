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
    var signingInput: [UInt8] { jws.signingInput }
    var signature: [UInt8] { jws.signature }

    /// Parses a token.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - name: What errors call it.
    /// - Throws: `IdentityError` with code `id_token_malformed`.
    package init(parsing token: Secret, as name: String = "ID token") throws(IdentityError) {
        jws = try CompactJWS(parsing: token, as: name)
        guard let claims = (try? JSONValue(parsing: jws.payload))?.object else {
            throw jws.malformed("has claims that are not a JSON object")
        }
        self.claims = claims
    }

    /// Verifies the signature only, for signed tokens other than ID tokens; the caller checks the claims.
    ///
    /// - Throws: `IdentityError`; with code `id_token_key_unknown` or `id_token_signature` when newer keys may help.
    package func verify(keys: JSONWebKeySet, algorithms: [SignatureAlgorithm]) throws(IdentityError) {
        try jws.verify(keys: keys, algorithms: algorithms)
    }
}
