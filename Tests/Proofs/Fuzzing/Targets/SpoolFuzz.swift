import IdentityKit
import IdentityStoreKit

/// Files of the spool: what is read comes back as the same bytes, and what its record is sealed for is what the file says.
enum SpoolFuzz {
    static func check(_ input: [UInt8]) throws {
        guard let file = SpooledSession(input) else { return }
        try require(file.bytes == input, "two files for one session")
        try require(file.identity.kind == .session, "another kind of record")
    }
}
