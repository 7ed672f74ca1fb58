import FoundationEssentials
import IdentityCrypto
import IdentityKit
import IdentityOIDC
import TestDoubles

/// A provider's key and a client's expectations, for validly signed tokens.
enum Forge {
    static let now = Date(timeIntervalSince1970: 1_790_000_000)
    private static let signer = Result { try TokenSigner(.es256) }
    static let keys = Result {
        try JSONWebKeySet(parsing: JSONValue.object(["keys": .array([try signer.get().jwk])]).serialized)
    }

    static func expectations() -> SignedTokenExpectations {
        var expected = SignedTokenExpectations(
            issuers: .exactly(["https://id.example"]),
            audiences: ["client-1"],
            algorithms: [.es256],
            now: now
        )
        expected.nonce = Secret("nonce-1")
        expected.accessToken = Secret("access-1")
        return expected
    }

    /// A token with the given bytes as claims and a valid signature.
    static func token(_ payload: [UInt8], header: String = #"{"alg":"ES256","kid":"k1"}"#) throws -> Secret {
        try signer.get().sign(Array(header.utf8), payload)
    }
}
