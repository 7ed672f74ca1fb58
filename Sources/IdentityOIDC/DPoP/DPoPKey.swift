internal import IdentityCrypto
package import IdentityKit

/// The DPoP key to which the tokens of one session are bound (RFC 9449): a P-256 key, created at the login and stored with the tokens.
package struct DPoPKey: Sendable {
    static let algorithm = SignatureAlgorithm.es256

    let key: SigningKey
    /// The public key as a JWK, with the members and the order of RFC 7638 section 3.2.
    let publicJWK: JSONObject

    package init() throws(IdentityError) {
        guard let key = try? SigningKey.generateEllipticCurve(.p256), let created = DPoPKey(key) else {
            throw Self.failed("created")
        }
        self = created
    }

    package init(_ stored: Secret) throws(IdentityError) {
        guard let read = try? PrivateJSONWebKey(parsing: stored.revealBytes()), let key = DPoPKey(read.key) else {
            throw IdentityError(
                .configuration,
                .storeCorrupt,
                "The stored DPoP key of a login or session cannot be read.",
                hint:
                    "Run the app version that stored the DPoP key, or let the buyer sign in again. The token or code was not sent.",
                reference: "RFC 9449 section 4.2"
            )
        }
        self = key
    }

    private init?(_ key: SigningKey) {
        guard case .ellipticCurve(.p256, let x, let y) = key.publicNumbers else { return nil }
        self.key = key
        publicJWK = [
            "crv": .string("P-256"), "kty": .string("EC"), "x": .string(Base64URL.encode(x)),
            "y": .string(Base64URL.encode(y)),
        ]
    }

    /// The SHA-256 thumbprint (RFC 7638), the `dpop_jkt` of an authorization request.
    package func thumbprint() throws(IdentityError) -> String {
        do { return Base64URL.encode(try Digest.sha256(JSONValue.object(publicJWK).serialized)) } catch {
            throw .wrapping(error)
        }
    }

    /// The whole key as a private JWK, for the store.
    package func secret() throws(IdentityError) -> Secret {
        guard let number = key.privateNumber() else { throw Self.failed("exported") }
        var key = publicJWK
        key["d"] = .string(Base64URL.encode(number))
        return Secret(bytes: JSONValue.object(key).serialized)
    }

    private static func failed(_ action: String) -> IdentityError {
        IdentityError(
            .retryLater,
            .systemFailure,
            "A DPoP key could not be \(action).",
            hint:
                "Try again. If this error happens again, check that OpenSSL's configuration file (openssl.cnf) does not disable the "
                + "default provider.",
            reference: "RFC 9449 section 4.2"
        )
    }
}

extension DPoPKey: Redacted {
    package var description: String { "DPoPKey" }
}
