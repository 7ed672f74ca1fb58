package import IdentityCrypto
package import IdentityKit

/// Computes the keyed hashes that rows are found by, so that the database never contains a session id, a state or a subject.
///
/// The key is random. It is created with the store and stored in it, encrypted with the store keys, so it does not change
/// when they do.
package struct LookupKey: Sendable {
    /// The use of a hash.
    ///
    /// The same text has different hashes for different uses.
    package enum Use: String, Sendable {
        case session, buyer, attachment, loginAttempt, providerSession, usedToken, lock
    }

    package static let byteCount = 32

    private let key: HMACSHA256

    package init(_ key: SecretBytes) {
        self.key = HMACSHA256(key)
    }

    /// The 32-byte hash of some fields.
    package func hash(_ use: Use, _ fields: [UInt8]...) throws(IdentityError) -> [UInt8] {
        var message = FieldWriter(capacity: 128)
        message.append(use.rawValue)
        for field in fields { message.append(field) }
        do {
            return try key.authenticationCode(for: message.bytes)
        } catch {
            throw .sealingUnavailable(error)
        }
    }
}
