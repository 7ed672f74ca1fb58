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

    /// Starts this cipher in a context with a key and an initialization vector; false if OpenSSL refuses them.
    func start(_ context: OpaquePointer, isEncrypting: Bool, _ key: SecretBytes, _ vector: [UInt8]) -> Bool {
        unsafe key.withUnsafeBytes { key in
            let key = unsafe key.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return unsafe EVP_CipherInit_ex2(context, pointer, key, vector, isEncrypting ? 1 : 0, nil) == 1
        }
    }
}
