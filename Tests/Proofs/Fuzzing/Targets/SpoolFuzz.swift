import IdentityKit
import IdentityStoreKit

enum SpoolFuzz {
    static func check(_ input: [UInt8]) throws {
        guard let row = SealedSession(bytes: input) else { return }
        try require(row.bytes == input, "two encodings of one session")
    }
}
