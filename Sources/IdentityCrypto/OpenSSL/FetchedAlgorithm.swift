internal import CIdentityOpenSSL

/// An algorithm of OpenSSL's providers.
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

    /// Runs a body with a new context of this cipher, key and vector; false if OpenSSL refuses them or fails, or if the body returns false.
    func withContext(
        isEncrypting: Bool,
        _ key: SecretBytes,
        _ vector: [UInt8],
        _ body: (OpaquePointer) -> Bool
    ) -> Bool {
        ErrorQueue.preserved {
            guard let context = unsafe EVP_CIPHER_CTX_new() else { return false }
            defer { unsafe EVP_CIPHER_CTX_free(context) }
            let isStarted = unsafe key.withUnsafeBytes { key in
                let key = unsafe key.baseAddress?.assumingMemoryBound(to: UInt8.self)
                return unsafe EVP_CipherInit_ex2(context, pointer, key, vector, isEncrypting ? 1 : 0, nil) == 1
            }
            return unsafe isStarted && body(context)
        }
    }
}
