internal import IdentityCrypto
public import IdentityKit

/// A client's own signing key, whose public half is registered at the provider, for
/// ``ClientAuthentication/privateKeyJWT(_:audience:)``.
///
/// RSA with 2048 to 8192 bits, P-256, P-384, P-521 or Ed25519. Nothing of the private half can be read out again.
public struct ClientKey: Sendable {
    /// The `kid` under which the provider knows the key; nil sends none, which is good for a client with one key only.
    public let keyID: String?
    private let key: SigningKey
    private let chosen: SignatureAlgorithm?

    /// Reads a private key: PKCS#8 in PEM (`-----BEGIN PRIVATE KEY-----`), not encrypted, or a private JWK (RFC 7517).
    ///
    /// - Parameters:
    ///   - text: The key.
    ///   - keyID: Its `kid` at the provider; a JWK's own unless given.
    ///   - algorithm: The JOSE algorithm to sign with; a JWK's own unless given. Without either an RSA key signs with the first
    ///     of RS256, RS384, RS512, PS256, PS384, PS512 that the provider's metadata list, every other key with the one algorithm
    ///     that it has.
    /// - Throws: `IdentityError` of kind `configuration`.
    public init(_ text: Secret, keyID: String? = nil, algorithm: String? = nil) throws(IdentityError) {
        let bytes = text.revealBytes()
        var (ownID, ownAlgorithm): (String?, String?) = (nil, nil)
        if bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") {
            let read = try PrivateJSONWebKey(parsing: bytes)
            (key, ownID, ownAlgorithm) = (read.key, read.keyID, read.algorithm)
        } else {
            guard let der = PEM.decode(bytes, label: "PRIVATE KEY") else {
                throw Self.invalid("The client key is neither PEM with one unencrypted PRIVATE KEY nor a JWK.")
            }
            do {
                key = try .pkcs8(der)
            } catch {
                throw Self.invalid("The client key cannot be used: \(error.message).")
            }
        }
        self.keyID = keyID ?? ownID
        guard let name = algorithm ?? ownAlgorithm else {
            chosen = nil
            return
        }
        guard let known = SignatureAlgorithm(rawValue: name), key.supports(known) else {
            throw Self.invalid("The client key cannot sign with the algorithm that was chosen for it.")
        }
        chosen = known
    }

    static func invalid(_ message: String) -> IdentityError {
        IdentityError(
            .configuration,
            .configurationInvalid,
            message,
            hint: "Make one with openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256.",
            reference: "RFC 7518 section 3.1"
        )
    }

    /// The algorithm to sign with: the chosen one, else the first that the key can and the provider lists, else the first that
    /// the key can.
    private func algorithm(offered: [String]?) -> SignatureAlgorithm? {
        if let chosen { return chosen }
        let able = SignatureAlgorithm.allCases.filter(key.supports)
        return able.first { offered?.contains($0.rawValue) ?? false } ?? able.first
    }

    /// Signs claims.
    ///
    /// - Parameter offered: The algorithms that the provider lists, nil when it does not say.
    func sign(_ claims: JSONObject, offered: [String]?) throws(IdentityError) -> String {
        var header = JSONObject()
        header["kid"] = keyID.map { .string($0) }
        return try JSONWebToken.compact(header, claims, key: key, algorithm: algorithm(offered: offered))
    }
}

extension ClientKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The key's id; nothing of the key.
    public var description: String { "ClientKey(\(keyID ?? "no id"))" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
