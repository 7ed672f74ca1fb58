internal import IdentityCrypto
internal import IdentityKit

/// Signs ID tokens, well or, when a misbehaviour asks for it, badly.
enum IDTokenMint {
    static func mint(
        _ claims: JSONObject,
        _ keyring: inout SigningKeyring,
        changes: [@Sendable (inout SandboxIDToken) -> Void] = []
    ) -> String {
        guard let entry = keyring.current() else { return "" }
        var token = SandboxIDToken(claims: claims)
        token.header = [
            "alg": .string(keyring.algorithm.rawValue), "kid": .string(entry.keyID), "typ": .string("JWT"),
        ]
        for change in changes { change(&token) }
        let input = [token.header, token.claims].map { Base64URL.encode(JSONValue.object($0).serialized) }
            .joined(separator: ".")
        let signature = sign(Array(input.utf8), token.signature, entry, keyring.algorithm)
        return input + "." + Base64URL.encode(signature)
    }

    private static func sign(
        _ input: [UInt8],
        _ kind: SandboxIDToken.Signature,
        _ entry: SigningKeyring.Entry,
        _ algorithm: SignatureAlgorithm
    ) -> [UInt8] {
        switch kind {
        case .valid: return (try? entry.key.sign(input, algorithm: algorithm)) ?? []
        case .corrupted:
            var signature = (try? entry.key.sign(input, algorithm: algorithm)) ?? []
            if !signature.isEmpty { signature[signature.count / 2] ^= 1 }
            return signature
        case .absent: return []
        case .foreignKey:
            let key = SigningKeyPool.key(named: "foreign/" + algorithm.rawValue, algorithm)
            return (try? key?.sign(input, algorithm: algorithm)) ?? []
        case .hmacWithPublicKey:
            guard case .rsa(let modulus, _) = entry.key.publicNumbers else { return [] }
            return (try? HMACSHA256.authenticationCode(for: input, key: SecretBytes(modulus))) ?? []
        }
    }

    /// The claims of a token that this keyring signed, whether expired or not; nil for anything else.
    static func claims(of token: String, signedBy keyring: SigningKeyring) -> JSONObject? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let payload = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2]),
            let claims = (try? JSONValue(parsing: payload))?.object
        else { return nil }
        let input = Array((parts[0] + "." + parts[1]).utf8)
        let isOurs = keyring.entries.contains { entry in
            // RSASSA-PKCS1 is deterministic: signing again is verifying.
            (try? entry.key.sign(input, algorithm: keyring.algorithm)) == signature
        }
        return isOurs || keyring.algorithm != .rs256 ? claims : nil
    }
}
