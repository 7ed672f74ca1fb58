internal import IdentityCrypto
internal import IdentityKit

extension SandboxFault {
    /// Signs the ID token as `signature` says, and sets `alg` in the header to the algorithm, or to `none` without a signature.
    public static func signature(_ signature: SandboxIDToken.Signature) -> SandboxFault {
        .idToken { token in
            token.signature = signature
            switch signature {
            case .absent: token.header["alg"] = .string("none")
            case .hmacWithPublicKey, .hmac: token.header["alg"] = .string("HS256")
            case .algorithm(let name): token.header["alg"] = .string(name)
            case .keyPair(let pair): token.header["alg"] = .string(pair.algorithm)
            case .valid, .corrupted, .foreignKey, .changed: break
            }
        }
    }

    /// The form in which an attacker uses the provider's public key as the key of an HMAC (CVE-2022-29217 and similar attacks).
    public enum ConfusedKey: Sendable, CaseIterable {
        /// The PEM text.
        case pem
        /// The PEM text without its last line break.
        case trimmedPEM
        /// The `SubjectPublicKeyInfo`.
        case der
        /// The bytes of ``SandboxPublicKey/numberBytes``, for example the modulus of an RSA key.
        case numbers
        /// The JWK from the key set, without its members `kid`, `use` and `alg`.
        case jwk
        /// An empty HMAC key instead of the public key.
        case empty
    }

    /// Signs the ID token with HMAC-SHA-256; the HMAC key is the provider's public key, or is empty for `empty`.
    public static func hmac(keyedWith key: ConfusedKey) -> SandboxFault {
        .idToken { token in
            let publicKey = token.providerKey
            let bytes: [UInt8] =
                switch key {
                case .pem: Array(publicKey.pem.utf8)
                case .trimmedPEM: Array(publicKey.pem.utf8.dropLast())
                case .der: publicKey.der
                case .numbers: publicKey.numberBytes
                case .jwk: JSONValue.object(publicKey.jwk()).serialized
                case .empty: []
                }
            token.header["alg"] = .string("HS256")
            token.signature = .hmac(key: bytes)
        }
    }

    /// Signs with HMAC-SHA-256 and the client secret as the HMAC key.
    ///
    /// OpenID Connect permits HS256 if it is registered for the client. A client that accepts HS256 without this registration
    /// also accepts tokens that anybody with the client secret forged (CVE-2026-33322).
    public static func hmac(clientSecret: String) -> SandboxFault {
        .signature(.hmac(key: Array(clientSecret.utf8)))
    }

    /// Removes the signature, and sets `alg` to a spelling of `none`, for example `None` or `nOnE`.
    public static func unsigned(_ spelling: String = "none") -> SandboxFault {
        .idToken { token in
            token.header["alg"] = .string(spelling)
            token.signature = .absent
        }
    }

    /// The header member that contains or references the token's own key (RFC 7515 sections 4.1.2 to 4.1.6).
    public enum HeaderKey: Sendable {
        /// The key itself.
        case jwk
        /// The URL of a key set.
        case jku(String)
        /// A chain of one certificate.
        case x5c
        /// The URL of a certificate.
        case x5u(String)
    }

    /// Signs the ID token with an attacker's key, and puts this key or the URL of a key set or certificate into the header.
    ///
    /// - Parameters:
    ///   - place: The header member.
    ///   - attacker: The key pair; it must be RSA for ``HeaderKey/x5c``.
    ///   - keyID: The `kid` of the header; nil keeps the provider's `kid`.
    /// - Returns: The fault.
    public static func keyInHeader(
        _ place: HeaderKey,
        of attacker: SandboxKeyPair,
        keyID: String? = "attacker"
    ) -> SandboxFault {
        .idToken { token in
            token.signature = .keyPair(attacker)
            token.header["alg"] = .string(attacker.algorithm)
            if let keyID { token.header["kid"] = .string(keyID) }
            switch place {
            case .jwk: token.header["jwk"] = .object(attacker.publicKey.jwk(keyID: keyID))
            case .jku(let address): token.header["jku"] = .string(address)
            case .x5c: token.header["x5c"] = .strings([Base64.encode(attacker.certificate ?? [])])
            case .x5u(let address): token.header["x5u"] = .string(address)
            }
        }
    }

    /// Invalid ECDSA signatures, for a provider that signs with ES256 (CVE-2022-21449 and others).
    public enum CurveSignature: Sendable, CaseIterable {
        /// r and s are zero.
        case zero
        /// r is the order of the group.
        case order
        /// The valid signature in DER.
        case der
        /// The valid signature without its last byte.
        case short
        /// The valid signature with a zero byte appended.
        case long
    }

    /// Replaces the signature of the ID token with an invalid ECDSA signature.
    public static func curveSignature(_ kind: CurveSignature) -> SandboxFault {
        .signature(
            .changed { valid in
                switch kind {
                case .zero: [UInt8](repeating: 0, count: valid.count)
                case .order: p256Order + valid.suffix(32)
                case .der:
                    DERWriter.sequence(
                        DERWriter.integer(Array(valid.prefix(32))),
                        DERWriter.integer(Array(valid.suffix(32)))
                    )
                case .short: valid.dropLast()
                case .long: valid + [0]
                }
            }
        )
    }

    /// The order of the group of P-256 (FIPS 186-4, D.1.2.3).
    private static let p256Order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6,
        0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    /// Sets `crit` in the header: the names of extensions that a client must understand (RFC 7515 section 4.1.11).
    public static func critical(_ names: String...) -> SandboxFault {
        .tokenHeader("crit", .strings(names))
    }

    /// Declares an unencoded payload with `b64` in the header (RFC 7797); if `isCritical` is true, `crit` contains `b64`.
    public static func unencodedPayload(isCritical: Bool) -> SandboxFault {
        let declared = tokenHeader("b64", .bool(false))
        return isCritical ? declared.and(.critical("b64")) : declared
    }
}
