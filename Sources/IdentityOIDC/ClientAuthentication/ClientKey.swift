internal import IdentityCrypto
public import IdentityKit

/// A client's signing key, whose public key the provider knows, for ``ClientAuthentication/privateKeyJWT(_:audience:)`` and
/// ``SignedClientSecret``.
///
/// Supported are RSA with 2048 to 8192 bits, P-256, P-384, P-521 and Ed25519. The private key cannot be read from the value.
///
/// ```swift
/// configuration.authentication = .privateKeyJWT(try ClientKey(pem, keyID: "2026-11"))
/// ```
public struct ClientKey: Sendable {
    /// The key's `kid` at the provider; nil sends no `kid`, which suffices for a client with one key.
    public let keyID: String?
    private let key: SigningKey
    /// The JOSE name of the configured algorithm, otherwise of the JWK's `alg`; nil if both are missing.
    private let configured: String?

    /// Reads a private key: unencrypted PKCS#8 in PEM (`-----BEGIN PRIVATE KEY-----`), or a private JWK (RFC 7517).
    ///
    /// - Parameters:
    ///   - text: The key.
    ///   - keyID: The key's `kid` at the provider; by default the `kid` of the JWK.
    ///   - algorithm: The JOSE algorithm to sign with; by default the `alg` of the JWK. If both are missing, an RSA key signs with the
    ///     first of RS256, RS384, RS512, PS256, PS384, PS512 that the provider's metadata list (RS256 if they list no RSA algorithm). An
    ///     Ed25519 key uses the name `EdDSA`, or `Ed25519` if the metadata list only this name. Every other key has one algorithm.
    /// - Throws: `IdentityError` of kind `configuration`.
    public init(_ text: Secret, keyID: String? = nil, algorithm: String? = nil) throws(IdentityError) {
        let bytes = text.revealBytes()
        var (ownID, ownAlgorithm): (String?, String?) = (nil, nil)
        if bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") {
            let read = try PrivateJSONWebKey(parsing: bytes)
            (key, ownID, ownAlgorithm) = (read.key, read.keyID, read.algorithm)
        } else {
            guard let der = PEM.decode(bytes, label: "PRIVATE KEY") else { throw Self.unreadable(bytes) }
            do {
                key = try .pkcs8(der)
            } catch {
                throw Self.invalid("The client key cannot be used: \(error.message).")
            }
        }
        self.keyID = keyID ?? ownID
        guard let name = algorithm ?? ownAlgorithm else {
            configured = nil
            return
        }
        let source = algorithm == nil ? "alg in the JWK" : "clientKeyAlgorithm (in Swift: algorithm)"
        guard let known = SignatureAlgorithm(name: name) else {
            let names = SignatureAlgorithm.allCases.flatMap(\.names).joined(separator: ", ")
            throw Self.invalid(
                "The algorithm \(LoggableName.shown(name)) of the client key is not supported.",
                hint: "Set \(source) to one of \(names)."
            )
        }
        guard key.supports(known) else {
            throw Self.invalid(
                "The client key does not support the algorithm \(LoggableName.shown(name)).",
                hint:
                    "If the algorithm is right, use a client key that supports the algorithm. Otherwise correct \(source)."
            )
        }
        configured = name
    }

    private static func unreadable(_ bytes: [UInt8]) -> IdentityError {
        let forms = [
            ("EC PRIVATE KEY", "in the form SEC1"), ("RSA PRIVATE KEY", "in the form PKCS#1"),
            ("ENCRYPTED PRIVATE KEY", "encrypted"),
        ]
        let text = String(decoding: bytes, as: UTF8.self)
        guard let form = forms.first(where: { text.contains("-----BEGIN \($0.0)-----") }) else {
            return invalid(
                "The client key must be a JWK, or PEM with exactly one unencrypted PRIVATE KEY block.",
                reference: "RFC 7468 section 10"
            )
        }
        return IdentityError(
            configuration: "The client key is \(form.1); it must be an unencrypted PRIVATE KEY (PKCS#8) in PEM.",
            hint:
                "Convert the client key: run openssl pkcs8 -topk8 -nocrypt -in OLD.pem -out client.pem, then chmod 600 client.pem. Use "
                + "client.pem as the client key.",
            reference: "RFC 5958 section 2"
        )
    }

    static func invalid(
        _ message: String,
        hint: String =
            "Use the private key whose public key the provider knows. Its form must be unencrypted PKCS#8 in PEM, or a JWK. Its type "
            + "must be RSA of 2048 to 8192 bits, P-256, P-384, P-521 or Ed25519.",
        reference: String = "RFC 7518 section 3.1"
    ) -> IdentityError {
        IdentityError(configuration: message, hint: hint, reference: reference)
    }

    private func algorithm(offered: [String]?) -> String? {
        if let configured { return configured }
        let supported = SignatureAlgorithm.allCases.filter(key.supports).flatMap(\.names)
        return supported.first { offered?.contains($0) ?? false } ?? supported.first
    }

    /// A signed JWT with these claims; `offered` are the algorithms that the provider lists, or nil if no list is known.
    func sign(_ claims: JSONObject, offered: [String]?) throws(IdentityError) -> String {
        var header = JSONObject()
        header["kid"] = keyID.map { .string($0) }
        return try JSONWebToken.sign(header, claims, key: key, algorithm: algorithm(offered: offered))
    }
}

extension ClientKey: Redacted {
    /// The key's id, without the key itself.
    public var description: String { "ClientKey(\(keyID ?? "no id"))" }
}
