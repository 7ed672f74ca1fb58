package import IdentityCrypto
internal import IdentityHTTP
public import IdentityKit

/// The 32 bytes with which a store encrypts its records.
///
/// ```swift
/// let key = try StoreKey(hexadecimal: Secret(ProcessInfo.processInfo.environment["IDENTITY_STORE_KEY"] ?? ""))
/// ```
///
/// Keep the key apart from the database. Do not lose it: records that were encrypted with a lost key cannot be read. The
/// bytes are wiped from memory when the last copy is released.
public struct StoreKey: Sendable {
    /// The number of bytes of a key.
    public static let byteCount = 32

    package let bytes: SecretBytes
    package let identifier: [UInt8]

    /// The key's identifier as 32 hexadecimal digits, for errors and health reports; it reveals nothing about the key.
    public var id: String { Hexadecimal.encode(identifier) }

    /// Creates a key from its 64 hexadecimal digits, in upper or lower case.
    ///
    /// The command `openssl rand -hex 32` prints the digits of a new key.
    ///
    /// - Throws: `IdentityError` of kind `configuration` that describes the mistake in the text, or of kind `retryLater` when OpenSSL
    ///   fails.
    public init(hexadecimal: Secret) throws(IdentityError) {
        guard hexadecimal.count == 2 * Self.byteCount else {
            throw Self.invalid(
                "its text must be \(2 * Self.byteCount) hexadecimal digits, but is \(hexadecimal.count) bytes long"
            )
        }
        // Digits and bytes stay in buffers that are wiped later, so that no copy of the key remains in memory.
        let bytes = try unsafe SecretBytes(count: Self.byteCount) { (output) throws(IdentityError) in
            try unsafe hexadecimal.bytes.withUnsafeBytes { (digits) throws(IdentityError) in
                for position in digits.indices {
                    guard let digit = unsafe ASCII.hexValue(digits[position]) else {
                        throw Self.invalid("its character number \(position + 1) is not a hexadecimal digit")
                    }
                    unsafe output[position / 2] = output[position / 2] << 4 | digit
                }
            }
        }
        try self.init(bytes: Secret(bytes))
    }

    /// Creates a key from its 32 bytes, which must come from a cryptographic random generator; a passphrase is not a key.
    ///
    /// - Throws: `IdentityError` of kind `configuration` when `bytes` does not have 32 bytes, and of kind `retryLater` when OpenSSL fails.
    public init(bytes: Secret) throws(IdentityError) {
        guard bytes.count == Self.byteCount else {
            throw Self.invalid("it must have \(Self.byteCount) bytes, but has \(bytes.count)")
        }
        self.bytes = bytes.bytes
        do {
            let code = try HMACSHA256.authenticationCode(for: Array("IdentityKit store key".utf8), key: bytes.bytes)
            identifier = Array(code.prefix(16))
        } catch {
            throw .sealingUnavailable(error)
        }
    }

    /// Creates a key from its hexadecimal digits, which come from `place`; errors name this place.
    package init(hexadecimal: Secret, from place: String) throws(IdentityError) {
        do {
            try self.init(hexadecimal: hexadecimal)
        } catch {
            throw error.recast(message: "\(error.message) The key comes from \(place).")
        }
    }

    private static func invalid(_ reason: String) -> IdentityError {
        IdentityError(
            configuration: "The store key cannot be used: \(reason).",
            hint:
                "Use the whole key of the store. For a new store, create a key (64 hexadecimal digits) with `openssl rand -hex 32`."
        )
    }
}

extension StoreKey: Redacted {
    /// The name of the type with the key's id, without the key.
    public var description: String { "StoreKey(\(id))" }
}
