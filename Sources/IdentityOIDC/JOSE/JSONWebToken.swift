package import IdentityCrypto
package import IdentityKit

/// A compact JWS whose payload is a JSON object, which is a JWT (RFC 7519 section 3), not yet verified.
package struct JSONWebToken: Sendable {
    private let parts: CompactJWS
    /// The claims.
    package let payload: JSONObject

    var algorithm: String { parts.algorithm }
    package var keyID: String? { parts.keyID }
    var type: String? { parts.type }
    var signingInput: [UInt8] { parts.signingInput }
    var signature: [UInt8] { parts.signature }

    /// Takes a token apart.
    ///
    /// - Throws: `IdentityError` with code `id_token_malformed`.
    package init(parsing token: Secret) throws(IdentityError) {
        parts = try CompactJWS(parsing: token)
        guard let payload = (try? JSONValue(parsing: parts.payload))?.object else {
            throw CompactJWS.malformed("has claims that are no JSON object")
        }
        self.payload = payload
    }

    /// Checks the signature alone, for signed tokens that are no ID tokens; what the claims mean is the caller's to judge.
    ///
    /// - Throws: `IdentityError`; with code `id_token_key_unknown` or `id_token_signature` when newer keys may help.
    package func verify(keys: JSONWebKeySet, algorithms: [SignatureAlgorithm]) throws(IdentityError) {
        try parts.verify(keys: keys, algorithms: algorithms)
    }
}
