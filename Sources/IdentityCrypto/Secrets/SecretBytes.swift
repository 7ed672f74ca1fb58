internal import CIdentityOpenSSL

/// Secret bytes, such as a key or a token.
///
/// The bytes are wiped from memory when the last copy of the value is released. `print` and reflection do not show them. The initializers
/// do not wipe the array or buffer that the caller passes.
///
/// `@unchecked Sendable`: only the initializers write the memory, before the value is shared.
@safe
package struct SecretBytes: @unchecked Sendable {
    /// The number of bytes and the bytes, in one allocation.
    @safe private final class Storage: ManagedBuffer<Int, UInt8> {
        deinit {
            unsafe withUnsafeMutablePointers { unsafe OPENSSL_cleanse($1, $0.pointee) }
        }

        static func make(_ count: Int) -> Storage {
            unsafe unsafeDowncast(create(minimumCapacity: count) { _ in count }, to: Storage.self)
        }

        var buffer: UnsafeMutableRawBufferPointer {
            unsafe withUnsafeMutablePointers { unsafe UnsafeMutableRawBufferPointer(start: $1, count: $0.pointee) }
        }
    }

    private let storage: Storage

    package init(copying bytes: UnsafeRawBufferPointer) {
        storage = Storage.make(bytes.count)
        unsafe storage.buffer.copyMemory(from: bytes)
    }

    package init(_ bytes: [UInt8]) {
        storage = Storage.make(bytes.count)
        unsafe storage.buffer.copyBytes(from: bytes)
    }

    /// Calls a body that writes the secret directly into the memory of the new value, so that there is no second copy to wipe.
    package init<Failure: Error>(
        count: Int,
        filledBy body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        storage = Storage.make(count)
        defer { withExtendedLifetime(storage) {} }
        unsafe storage.buffer.initializeMemory(as: UInt8.self, repeating: 0)
        try unsafe body(storage.buffer)
    }

    package var count: Int { storage.header }

    /// Calls a body with a pointer that is valid only during the call.
    package func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        defer { withExtendedLifetime(storage) {} }
        return try unsafe body(UnsafeRawBufferPointer(storage.buffer))
    }

    /// Returns a copy of the bytes that is not wiped; where possible, use ``withUnsafeBytes(_:)`` instead.
    package func copyBytes() -> [UInt8] {
        unsafe withUnsafeBytes { unsafe Array($0) }
    }

    /// Compares two secrets in a time that depends on their lengths only.
    package func isEqual(to other: SecretBytes) -> Bool {
        guard count == other.count else { return false }
        return unsafe withUnsafeBytes { own in
            unsafe other.withUnsafeBytes { unsafe CRYPTO_memcmp(own.baseAddress, $0.baseAddress, count) == 0 }
        }
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "SecretBytes(redacted)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
