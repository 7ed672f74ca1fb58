internal import CIdentityOpenSSL

/// An algorithm implementation fetched from OpenSSL's providers; ``LazyAlgorithm`` keeps it for later uses.
///
/// `@unchecked Sendable`: OpenSSL does not change the algorithm after the fetch, and counts references to it atomically.
@safe
final class FetchedAlgorithm: @unchecked Sendable {
    let pointer: OpaquePointer
    private let release: (OpaquePointer) -> Void

    init?(_ fetch: () -> OpaquePointer?, release: @escaping (OpaquePointer) -> Void) {
        guard let pointer = unsafe ErrorQueue.preserved(fetch) else { return nil }
        unsafe self.pointer = pointer
        unsafe self.release = release
    }

    deinit {
        unsafe release(pointer)
    }
}

extension FetchedAlgorithm {
    /// `EVP_EncryptInit_ex2` or `EVP_DecryptInit_ex2`.
    typealias CipherInitializer = (
        OpaquePointer?, OpaquePointer?, UnsafePointer<UInt8>?, UnsafePointer<UInt8>?, UnsafePointer<OSSL_PARAM>?
    ) -> Int32

    /// Starts this cipher in a context with a key and an initialization vector; false if OpenSSL refuses them.
    func start(
        _ initialize: CipherInitializer,
        _ context: OpaquePointer,
        _ key: SecretBytes,
        _ vector: [UInt8]
    ) -> Bool {
        unsafe key.withUnsafeBytes { key in
            unsafe initialize(context, pointer, key.baseAddress?.assumingMemoryBound(to: UInt8.self), vector, nil) == 1
        }
    }
}
