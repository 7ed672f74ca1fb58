internal import IdentityCrypto
internal import IdentityKit

extension SigningKeyring {
    /// Creates and signs a JWT, such as an ID token; `changes` can make it invalid.
    mutating func mint(
        _ claims: JSONObject,
        _ algorithm: SignatureAlgorithm,
        changes: [@Sendable (inout SandboxIDToken) -> Void] = []
    ) -> String {
        guard let entry = published().last(where: { $0.algorithm == algorithm }) else { return "" }
        var token = SandboxIDToken(
            header: ["alg": .string(algorithm.rawValue), "kid": .string(entry.keyID), "typ": .string("JWT")],
            claims: claims,
            providerKey: entry.publicKey
        )
        for change in changes { change(&token) }
        let header = token.rawHeader ?? Self.text(token.header, token.rawHeaderMembers)
        let payload = token.rawClaims ?? Self.text(token.claims, token.rawClaimMembers)
        let input = Base64URL.encode(header) + "." + Base64URL.encode(payload)
        let signature = Self.sign(Array(input.utf8), token.signature, entry)
        return token.rewrites.reduce(input + "." + Base64URL.encode(signature)) { $1($0) }
    }

    /// Serializes an object, and adds further members unchanged, even if they are invalid JSON.
    private static func text(_ object: JSONObject, _ rawMembers: [String]) -> [UInt8] {
        let text = JSONValue.object(object).serialized
        guard !rawMembers.isEmpty else { return text }
        let more = rawMembers.joined(separator: ",") + "}"
        return Array(text.dropLast()) + (object.members.isEmpty ? [] : [UInt8(ascii: ",")]) + more.utf8
    }

    private static func sign(_ input: [UInt8], _ kind: SandboxIDToken.Signature, _ entry: Entry) -> [UInt8] {
        func valid(_ algorithm: SignatureAlgorithm) -> [UInt8] {
            (try? entry.key.sign(input, algorithm: algorithm)) ?? []
        }
        switch kind {
        case .valid: return valid(entry.algorithm)
        case .corrupted:
            var signature = valid(entry.algorithm)
            if !signature.isEmpty { signature[signature.count / 2] ^= 1 }
            return signature
        case .absent: return []
        case .foreignKey:
            let key = SigningKeyPool.key(named: "foreign/" + entry.algorithm.rawValue, entry.algorithm)
            return (try? key?.sign(input, algorithm: entry.algorithm)) ?? []
        case .hmacWithPublicKey: return hmac(input, entry.publicKey.numberBytes)
        case .hmac(let key): return hmac(input, key)
        case .algorithm(let name): return SignatureAlgorithm(rawValue: name).map(valid) ?? []
        case .keyPair(let pair): return pair.sign(input)
        case .changed(let change): return change(valid(entry.algorithm))
        }
    }

    private static func hmac(_ input: [UInt8], _ key: [UInt8]) -> [UInt8] {
        // HMAC pads a short key with zeros, so one zero byte is the same key as the empty key, which the library refuses.
        (try? HMACSHA256.authenticationCode(for: input, key: SecretBytes(key.isEmpty ? [0] : key))) ?? []
    }
}
