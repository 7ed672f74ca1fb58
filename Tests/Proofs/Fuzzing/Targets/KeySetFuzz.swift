import IdentityCrypto
import IdentityKit
import IdentityOIDC

/// Checks that a key set is bounded, that its keys support their algorithms, and that no key verifies an invalid signature.
enum KeySetFuzz {
    private static let message = Array("header.payload".utf8)

    static func check(_ input: [UInt8]) throws {
        let keys: JSONWebKeySet
        do {
            keys = try JSONWebKeySet(parsing: input)
        } catch let error as IdentityError {
            return try require(error.code == .discoveryFailed, "the error code differs")
        }
        let listed = try require((try? JSONValue(parsing: input))?["keys"]?.array, "accepted without a list of keys")
        try require(keys.count <= min(listed.count, 100), "more keys than are listed")
        for algorithm in SignatureAlgorithm.allCases {
            for keyID in [nil, "k1", ""] {
                let candidates = keys.candidates(keyID: keyID, algorithm: algorithm)
                try require(candidates.count <= 8, "too many candidates")
                for key in candidates {
                    try require(key.supports(algorithm), "a key that does not support the algorithm")
                    for count in [64, 96, 132, 256] {
                        let signature = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 1) }
                        let isForged = key.verify(signature, of: message, algorithm: algorithm)
                        try require(!isForged, "an invalid signature was accepted")
                    }
                }
            }
        }
    }
}
