internal import IdentityCrypto
package import IdentityKit

/// The key to which the tokens of one session are bound (RFC 9449): P-256, made at the login, sealed with the tokens.
package struct DPoPKey: Sendable {
    static let algorithm = SignatureAlgorithm.es256

    let key: SigningKey
    private let x: String
    private let y: String

    /// A new key.
    ///
    /// - Throws: `IdentityError` with code `system_failure`.
    package init() throws(IdentityError) {
        guard let key = try? SigningKey.generateEllipticCurve(.p256), let made = DPoPKey(key) else {
            throw IdentityError(.retryLater, .systemFailure, "No key could be made for the session.")
        }
        self = made
    }

    /// A key that was kept.
    ///
    /// - Throws: `IdentityError` with code `store_corrupt`.
    package init(_ kept: Secret) throws(IdentityError) {
        guard let read = try? PrivateJSONWebKey(parsing: kept.revealBytes()), let key = DPoPKey(read.key) else {
            throw IdentityError(
                .configuration,
                .storeCorrupt,
                "The key of a session's tokens cannot be read.",
                hint: "It was kept as it is. A newer version of the app may have written it."
            )
        }
        self = key
    }

    private init?(_ key: SigningKey) {
        guard case .ellipticCurve(.p256, let x, let y) = key.publicNumbers else { return nil }
        self.key = key
        (self.x, self.y) = (Base64URL.encode(x), Base64URL.encode(y))
    }

    /// The public half as a JWK, the members that RFC 7638 section 3.2 counts and in its order.
    var publicHalf: JSONObject {
        ["crv": .string("P-256"), "kty": .string("EC"), "x": .string(x), "y": .string(y)]
    }

    /// The SHA-256 thumbprint (RFC 7638), which an authorization request names as `dpop_jkt`.
    package func thumbprint() throws -> String {
        Base64URL.encode(try Digest.sha256(JSONValue.object(publicHalf).serialized))
    }

    /// The whole key, to be sealed: a private JWK.
    package func secret() throws(IdentityError) -> Secret {
        guard let number = key.privateNumber() else {
            throw IdentityError(.retryLater, .systemFailure, "The key of the session could not be kept.")
        }
        var whole = publicHalf
        whole["d"] = .string(Base64URL.encode(number))
        return Secret(bytes: JSONValue.object(whole).serialized)
    }
}

extension DPoPKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "DPoPKey" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
