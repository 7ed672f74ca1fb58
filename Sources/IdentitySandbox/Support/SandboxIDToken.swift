public import IdentityKit

/// An unsigned JWT of the sandbox (an ID token, a logout token or SFCC's JWT), which a fault or a test can change.
public struct SandboxIDToken: Sendable {
    /// How the token is signed.
    public enum Signature: Sendable {
        /// Signed with the provider's current key.
        case valid
        /// Signed with the provider's current key, with one bit of the signature flipped.
        case corrupted
        /// No signature at all.
        case absent
        /// Signed with a key that the provider does not publish; the header has the `kid` of the published key.
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
    /// Members that the sandbox writes after the members of ``header``, each as JSON text without a comma: `"alg":"none"`.
    ///
    /// An element may repeat a name of the header, and its value may be invalid JSON.
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
