public import IdentityKit

/// An ID token before it is signed; a misbehaviour changes it.
public struct SandboxIDToken: Sendable {
    /// How the token is signed.
    public enum Signature: Sendable {
        /// By the provider's current key.
        case valid
        /// By the provider's current key, with one bit turned.
        case corrupted
        /// No signature at all.
        case absent
        /// By a key that the provider does not publish, under the published key's name.
        case foreignKey
        /// HMAC-SHA-256 keyed with the modulus of the public key: an algorithm confusion attack.
        case hmacWithPublicKey
        /// HMAC-SHA-256 with this key.
        case hmac(key: [UInt8])
        /// By the provider's current key with another algorithm that fits it, by its JOSE name.
        case algorithm(String)
        /// By a key of the test, with the algorithm of that key.
        case keyPair(SandboxKeyPair)
        /// By the provider's current key, and then changed.
        case changed(@Sendable (_ valid: [UInt8]) -> [UInt8])
    }

    /// The JOSE header.
    public var header: JSONObject
    /// The claims.
    public var claims: JSONObject
    /// How it is signed.
    public var signature: Signature = .valid
    /// Members that are written behind those of ``header``, as JSON text without comma: `"alg":"none"`.
    ///
    /// They may repeat a name of the header, and a value need not be JSON.
    public var rawHeaderMembers: [String] = []
    /// The same for ``claims``.
    public var rawClaimMembers: [String] = []
    /// The header's bytes in the place of all of that.
    public var rawHeader: [UInt8]?
    /// The payload's bytes in the place of ``claims``.
    public var rawClaims: [UInt8]?
    /// Changes to the signed token's text, in order.
    public var rewrites: [@Sendable (_ token: String) -> String] = []

    /// The provider's current public key, for attacks that need it.
    public let providerKey: SandboxPublicKey

    init(claims: JSONObject, header: JSONObject, providerKey: SandboxPublicKey) {
        self.header = header
        self.claims = claims
        self.providerKey = providerKey
    }
}

extension SandboxMisbehaviour {
    /// Changes the ID token before it is signed.
    ///
    /// Valid at the token endpoint.
    public static func idToken(_ change: @escaping @Sendable (inout SandboxIDToken) -> Void) -> SandboxMisbehaviour {
        SandboxMisbehaviour(effects: [.idToken(change)])
    }

    /// Sets a claim of the ID token or, with nil, leaves it out.
    public static func claim(_ name: String, _ value: JSONValue?) -> SandboxMisbehaviour {
        .idToken { $0.claims[name] = value }
    }

    /// Moves a time claim (`exp`, `iat`) by seconds.
    public static func shiftClaim(_ name: String, by seconds: Int) -> SandboxMisbehaviour {
        .idToken { token in
            guard let value = token.claims[name]?.number?.integer else { return }
            token.claims[name] = .integer(value + seconds)
        }
    }

    /// Sets a member of the ID token's header or, with nil, leaves it out.
    public static func tokenHeader(_ name: String, _ value: JSONValue?) -> SandboxMisbehaviour {
        .idToken { $0.header[name] = value }
    }

    /// Another signature on the ID token.
    ///
    /// The header's `alg` says what was done: `none` without a signature, `HS256` for an HMAC, the name of the algorithm
    /// where that is another one.
    public static func signature(_ signature: SandboxIDToken.Signature) -> SandboxMisbehaviour {
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
