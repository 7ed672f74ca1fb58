public import IdentityKit

/// An ID token before it is signed; a fault changes it.
public struct SandboxIDToken: Sendable {
    /// How the token is signed.
    public enum Signature: Sendable {
        /// By the provider's current key.
        case valid
        /// By the provider's current key, with one bit flipped.
        case corrupted
        /// No signature at all.
        case absent
        /// Signed with a key that the provider does not publish; the header's `kid` is still that of the published key.
        case foreignKey
        /// HMAC-SHA-256 keyed with the modulus or the point of the provider's public key: an algorithm confusion attack.
        case hmacWithPublicKey
        /// HMAC-SHA-256 with this key.
        case hmac(key: [UInt8])
        /// Signed with the provider's current key and the algorithm with this JOSE name, which must fit the key.
        case algorithm(String)
        /// Signed with this key pair and its algorithm.
        case keyPair(SandboxKeyPair)
        /// Signed with the provider's current key; then the closure changes the signature.
        case changed(@Sendable (_ valid: [UInt8]) -> [UInt8])
    }

    /// The JOSE header.
    public var header: JSONObject
    /// The claims.
    public var claims: JSONObject
    /// How the token is signed.
    public var signature: Signature = .valid
    /// Members that are written after those of ``header``, as JSON text without a comma: `"alg":"none"`.
    ///
    /// They may repeat a name of the header, and their values may be invalid JSON.
    public var rawHeaderMembers: [String] = []
    /// Members that are written after those of ``claims``, in the form of ``rawHeaderMembers``.
    public var rawClaimMembers: [String] = []
    /// The header's bytes, which replace ``header`` and ``rawHeaderMembers``.
    public var rawHeader: [UInt8]?
    /// The payload's bytes, which replace ``claims`` and ``rawClaimMembers``.
    public var rawClaims: [UInt8]?
    /// Changes to the signed token's text, in order.
    public var rewrites: [@Sendable (_ token: String) -> String] = []

    /// The provider's current public key, for attacks that need it.
    public let providerKey: SandboxPublicKey
}

extension SandboxFault {
    /// Changes the ID token before it is signed.
    ///
    /// Plan it for ``SandboxEndpoint/token`` or, at SFCC, for ``SandboxEndpoint/tokenExchange``.
    public static func idToken(_ change: @escaping @Sendable (inout SandboxIDToken) -> Void) -> SandboxFault {
        SandboxFault(effects: [.idToken(change)])
    }

    /// Sets a claim of the ID token or, with nil, removes it.
    public static func claim(_ name: String, _ value: JSONValue?) -> SandboxFault {
        .idToken { $0.claims[name] = value }
    }

    /// Moves a time claim (`exp`, `iat`) by seconds.
    public static func shiftClaim(_ name: String, by seconds: Int) -> SandboxFault {
        .idToken { token in
            guard let value = token.claims[name]?.number?.integer else { return }
            token.claims[name] = .integer(value + seconds)
        }
    }

    /// Sets a member of the ID token's header or, with nil, removes it.
    public static func tokenHeader(_ name: String, _ value: JSONValue?) -> SandboxFault {
        .idToken { $0.header[name] = value }
    }

    /// Signs the ID token in another way.
    ///
    /// The header's `alg` fits the signature: `none` without a signature, `HS256` for an HMAC, otherwise the name of the
    /// algorithm.
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
}
