internal import IdentityCrypto
internal import IdentityKit

/// Signs ID tokens; a fault can make them invalid.
enum IDTokenMint {
    static func mint(
        _ claims: JSONObject,
        _ keyring: inout SigningKeyring,
        changes: [@Sendable (inout SandboxIDToken) -> Void]
    ) -> String {
        guard let entry = keyring.current() else { return "" }
        var token = SandboxIDToken(
            header: [
                "alg": .string(keyring.algorithm.rawValue), "kid": .string(entry.keyID), "typ": .string("JWT"),
            ],
            claims: claims,
            providerKey: SandboxPublicKey(entry.key.publicNumbers)
        )
        for change in changes { change(&token) }
        let header = token.rawHeader ?? text(token.header, token.rawHeaderMembers)
        let payload = token.rawClaims ?? text(token.claims, token.rawClaimMembers)
        let input = Base64URL.encode(header) + "." + Base64URL.encode(payload)
        let signature = sign(Array(input.utf8), token.signature, entry, keyring.algorithm)
        return token.rewrites.reduce(input + "." + Base64URL.encode(signature)) { $1($0) }
    }

    /// Serializes an object, and adds further members unchanged, even if they are invalid JSON.
    private static func text(_ object: JSONObject, _ rawMembers: [String]) -> [UInt8] {
        let text = JSONValue.object(object).serialized
        guard !rawMembers.isEmpty else { return text }
        let more = rawMembers.joined(separator: ",") + "}"
        return Array(text.dropLast()) + (object.members.isEmpty ? [] : [UInt8(ascii: ",")]) + more.utf8
    }

    private static func sign(
        _ input: [UInt8],
        _ kind: SandboxIDToken.Signature,
        _ entry: SigningKeyring.Entry,
        _ algorithm: SignatureAlgorithm
    ) -> [UInt8] {
        func valid(_ algorithm: SignatureAlgorithm) -> [UInt8] {
            (try? entry.key.sign(input, algorithm: algorithm)) ?? []
        }
        switch kind {
        case .valid: return valid(algorithm)
        case .corrupted:
            var signature = valid(algorithm)
            if !signature.isEmpty { signature[signature.count / 2] ^= 1 }
            return signature
        case .absent: return []
        case .foreignKey:
            let key = SigningKeyPool.key(named: "foreign/" + algorithm.rawValue, algorithm)
            return (try? key?.sign(input, algorithm: algorithm)) ?? []
        case .hmacWithPublicKey: return hmac(input, SandboxPublicKey(entry.key.publicNumbers).numberBytes)
        case .hmac(let key): return hmac(input, key)
        case .algorithm(let name): return SignatureAlgorithm(rawValue: name).map(valid) ?? []
        case .keyPair(let pair): return pair.sign(input)
        case .changed(let change): return change(valid(algorithm))
        }
    }

    private static func hmac(_ input: [UInt8], _ key: [UInt8]) -> [UInt8] {
        // HMAC pads a short key with zeros. A single zero byte is therefore the same key as the empty key, which the
        // library refuses.
        (try? HMACSHA256.authenticationCode(for: input, key: SecretBytes(key.isEmpty ? [0] : key))) ?? []
    }

    /// Returns the claims of a token that this keyring signed, even if the token has expired; nil for other tokens.
    static func claims(of text: String, signedBy keyring: SigningKeyring) -> JSONObject? {
        guard let token = try? ClientToken(text) else { return nil }
        let isOurs = keyring.entries.contains { entry in
            let jwk = SandboxPublicKey(entry.key.publicNumbers).jwk()
            return (try? token.verify(with: ClientKey(jwk: jwk), keyring.algorithm)) != nil
        }
        return isOurs ? token.claims : nil
    }
}
