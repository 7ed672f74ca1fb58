import IdentityKit
import IdentityStoreKit

/// Checks that spool files round-trip, and that the sealed record belongs to the session that the file names.
enum SpoolFuzz {
    static func check(_ input: [UInt8]) throws {
        guard let file = SpooledSession(input) else { return }
        try require(file.bytes == input, "two encodings of one session")
        try require(file.identity.kind == .session, "the kind of record differs")
    }
}
