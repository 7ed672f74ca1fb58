internal import CIdentityOpenSSL

/// Secret bytes, such as a key or a token.
///
/// Immutable, wiped from memory when the last reference is released, never printed.
///
/// The array or buffer that it was created from is not wiped.
///
/// `@unchecked Sendable`: the memory is written once in the initialiser, before the object is shared, and only
/// read until `deinit`.
@safe
package final class SecretBytes: @unchecked Sendable {
    private let storage: UnsafeMutableRawBufferPointer

    package init(copying bytes: UnsafeRawBufferPointer) {
        unsafe storage = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
        unsafe storage.copyMemory(from: bytes)
    }

    package init(_ bytes: [UInt8]) {
        unsafe storage = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
        unsafe storage.copyBytes(from: bytes)
    }

    /// Calls a body that writes the secret in place, so that there is no second copy.
    package init<Failure: Error>(
        count: Int,
        filledBy body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        unsafe storage = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        unsafe storage.initializeMemory(as: UInt8.self, repeating: 0)
        try unsafe body(storage)
    }

    deinit {
        unsafe OPENSSL_cleanse(storage.baseAddress, storage.count)
        unsafe storage.deallocate()
    }

    package var count: Int { unsafe storage.count }

    /// Calls a body with the bytes.
    ///
    /// The pointer must not escape.
    package func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try unsafe body(UnsafeRawBufferPointer(storage))
    }

    /// A copy that is not wiped, for the place where the secret leaves the process, such as a request header.
    package func copyBytes() -> [UInt8] {
        unsafe Array(storage)
    }

    /// Compares in a time that depends on the lengths only.
    package func isEqual(to other: SecretBytes) -> Bool {
        guard count == other.count else { return false }
        return unsafe CRYPTO_memcmp(storage.baseAddress, other.storage.baseAddress, count) == 0
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "SecretBytes(redacted)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
