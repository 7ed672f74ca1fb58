package import IdentityKit

/// An unverified JWT (RFC 7519 section 3): a compact JWS whose payload is a JSON object.
package struct JSONWebToken: Sendable {
    /// The token's JWS, which verifies the signature.
    package let jws: CompactJWS
    /// The claims.
    package let claims: JSONObject

    package var keyID: String? { jws.keyID }

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
}

extension JSONWebToken: Redacted {
    package var description: String { "JSONWebToken(<redacted>)" }
}
