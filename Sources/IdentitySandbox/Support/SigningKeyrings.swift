internal import IdentityCrypto
internal import IdentityKit

/// The keys of a provider: one keyring for each of its algorithms.
struct SigningKeyrings: Sendable {
    private var keyrings: [SigningKeyring]

    init(owner: String, keyIDPrefix: String?, algorithms: [SignatureAlgorithm]) {
        keyrings = algorithms.map { SigningKeyring(owner: owner, keyIDPrefix: keyIDPrefix, algorithm: $0) }
    }

    mutating func mint(
        _ claims: JSONObject,
        _ algorithm: SignatureAlgorithm,
        changes: [@Sendable (inout SandboxIDToken) -> Void] = []
    ) -> String {
        guard let index = keyrings.firstIndex(where: { $0.algorithm == algorithm }) else { return "" }
        return IDTokenMint.mint(claims, &keyrings[index], changes: changes)
    }

    mutating func rotate(keepsOld: Bool) {
        for index in keyrings.indices { keyrings[index].rotate(keepsOld: keepsOld) }
    }

    mutating func keySet() -> JSONObject {
        var keys: [JSONValue] = []
        for index in keyrings.indices { keys += keyrings[index].jwks() }
        return ["keys": .array(keys)]
    }

    /// Returns the claims of a token that one of these keys signed, even if the token has expired; nil for other tokens.
    func claims(of token: String) -> JSONObject? {
        keyrings.lazy.compactMap { IDTokenMint.claims(of: token, signedBy: $0) }.first
    }
}
