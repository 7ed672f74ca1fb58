package import IdentityCrypto
package import IdentityKit

/// Computes the keyed hashes by which rows are found, so that the database contains no session id, `state` or subject in plain text.
///
/// The key is random and is created with the store. It is stored in the store's header, encrypted with the store keys, so it stays the
/// same when the store keys change.
package struct LookupKey: Sendable {
    /// The use of a hash; the same text has a different hash for each use.
    package enum Use: String, Sendable {
        case session, buyer, attachment, loginAttempt, providerSession, usedToken, lock
    }

    package static let byteCount = 32

    private let key: HMACSHA256

    package init(_ key: SecretBytes) {
        self.key = HMACSHA256(key)
    }

    /// The 32-byte hash of one or two fields.
    package func hash(
        _ use: Use,
        _ field: some Collection<UInt8>,
        _ second: String.UTF8View? = nil
    ) throws(IdentityError) -> [UInt8] {
        var message = FieldWriter(capacity: 128)
        message.append(use.rawValue)
        message.append(field)
        if let second { message.append(second) }
        do {
            return try key.authenticationCode(for: message.bytes)
        } catch {
            throw .sealingUnavailable(error)
        }
    }
}
