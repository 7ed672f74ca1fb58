internal import IdentityCrypto
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
        /// HMAC-SHA-256 keyed with the modulus of the public key: the classic confusion of algorithms.
        case hmacWithPublicKey
    }

    /// The JOSE header.
    public var header: JSONObject
    /// The claims.
    public var claims: JSONObject
    /// How it is signed.
    public var signature: Signature = .valid

    init(claims: JSONObject) {
        header = [:]
        self.claims = claims
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
    public static func signature(_ signature: SandboxIDToken.Signature) -> SandboxMisbehaviour {
        .idToken { token in
            token.signature = signature
            switch signature {
            case .absent: token.header["alg"] = .string("none")
            case .hmacWithPublicKey: token.header["alg"] = .string("HS256")
            case .valid, .corrupted, .foreignKey: break
            }
        }
    }
}
