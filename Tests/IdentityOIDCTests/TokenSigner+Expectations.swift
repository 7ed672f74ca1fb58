import FoundationEssentials
import IdentityCrypto
import IdentityKit
import IdentityOIDC
import TestDoubles

extension TokenSigner {
    static let now = Date(timeIntervalSince1970: 1_790_000_000)

    static var goodClaims: JSONObject {
        [
            "iss": .string("https://id.example"), "sub": .string("buyer-1"), "aud": .string("client-1"),
            "exp": .integer(1_790_000_300), "iat": .integer(1_790_000_000), "nonce": .string("nonce-1"),
            "email": .string("ada@example.com"), "email_verified": .bool(true),
        ]
    }

    static func expectations() -> SignedTokenExpectations {
        var expected = SignedTokenExpectations(
            issuers: .exactly(["https://id.example"]),
            audiences: ["client-1"],
            algorithms: [.rs256, .ps256, .es256, .es384, .edDSA],
            now: now
        )
        expected.nonce = Secret("nonce-1")
        return expected
    }

    /// A key set with this key and keys that cannot verify its tokens.
    func keySet(beside others: [JSONValue] = []) throws -> JSONWebKeySet {
        let strange: [JSONValue] = [
            .object(["kty": .string("EC"), "crv": .string("secp256k1"), "x": .string("AA"), "y": .string("AA")]),
            .object(["kty": .string("RSA"), "use": .string("enc"), "n": .string("AQAB"), "e": .string("AQAB")]),
            .object(["kty": .string("oct"), "k": .string("c2VjcmV0")]), .string("no key at all"), .null,
        ]
        let set: JSONValue = .object(["keys": .array(strange + [jwk] + others)])
        return try JSONWebKeySet(parsing: set.serialized)
    }

    func token(header changes: (inout JSONObject) -> Void = { _ in }) throws -> Secret {
        try token(Self.goodClaims, header: changes)
    }
}
