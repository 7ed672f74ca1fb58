package import IdentityCrypto
internal import IdentityKit

/// A provider's key set (JWKS, RFC 7517 section 5), reduced to the keys that this client supports.
package struct JSONWebKeySet: Sendable {
    /// Where the address of a key set comes from; for hints.
    static let addressSource =
        "It comes from endpoints.jwks or from jwks_uri of the provider's metadata; at Bolt also from environment or endpoints.api; in "
        + "JWTSignatureVerifier from keySetURL."

    private let keys: [JSONWebKey]

    /// Parses a key set of at most 100 keys; unsupported keys are ignored.
    package init(parsing body: [UInt8]) throws {
        let values: [JSONValue]?
        do {
            values = try JSONValue(parsing: body)["keys"]?.array
        } catch {
            throw Self.failure(
                "is not valid JSON: \(error)",
                kind: UnreadableDocument.errorKind(for: body),
                cause: error
            )
        }
        guard let values else { throw Self.failure("has no array named keys") }
        guard values.count <= 100 else { throw Self.failure("has more than 100 keys") }
        keys = values.compactMap { JSONWebKey($0) }
    }

    package var count: Int { keys.count }

    func contains(keyID: String) -> Bool {
        keys.contains { $0.keyID?.isIdentical(to: keyID) ?? false }
    }

    /// Whether another key set contains the same keys with the same `kid`, `alg` and `issuer`, in any order.
    func hasSameKeys(as other: JSONWebKeySet) -> Bool {
        Set(keys.map(\.identity)) == Set(other.keys.map(\.identity))
    }

    /// The first eight keys that may verify a token: they support its algorithm and have its `kid`, byte for byte.
    ///
    /// For a token without `kid`, the `kid` of the keys does not matter. `mayIssue` decides by the issuer in a key's JWK whether this key
    /// may be tried; a key without an issuer may always be tried.
    package func candidates(
        keyID: String?,
        algorithm: SignatureAlgorithm,
        issuer mayIssue: (String) -> Bool = { _ in true }
    ) -> [VerificationKey] {
        var candidates: [VerificationKey] = []
        // A loop over the keys themselves would copy each key.
        for index in keys.indices where candidates.count < 8 {
            let hasID = keyID.map { keys[index].keyID?.isIdentical(to: $0) ?? false } ?? true
            if hasID, keys[index].fits(algorithm), keys[index].issuer.map(mayIssue) ?? true {
                candidates.append(keys[index].key)
            }
        }
        return candidates
    }

    private static func failure(
        _ problem: String,
        kind: IdentityError.Kind = .rejected,
        cause: (any Error)? = nil
    ) -> IdentityError {
        IdentityError(
            kind,
            .discoveryFailed,
            "The provider's key set \(problem).",
            hint:
                "Open the address of the key set in a browser: it must show a JSON object with an array named keys, which has at most 100 "
                + "keys. Check the address. \(addressSource)",
            reference: "RFC 7517 section 5",
            cause: cause
        )
    }
}
