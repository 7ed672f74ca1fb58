internal import CIdentityOpenSSL

/// OpenSSL's hash context and key context for one key and one algorithm; contexts are reused, because creating them is slow.
///
/// `@unchecked Sendable`: only one verification at a time uses a context. ``VerificationKey`` takes a context out of its list first.
@safe
final class VerificationContext: @unchecked Sendable {
    let algorithm: SignatureAlgorithm
    private let hash: FetchedAlgorithm
    private let hashContext: OpaquePointer
    private let keyContext: OpaquePointer
    private var digest: [UInt8]

    init?(_ key: KeyHandle, _ algorithm: SignatureAlgorithm) {
        guard let function = algorithm.hashFunction, let hash = try? function.algorithm.available(),
            let keyContext = unsafe key.makeContext(algorithm, hash, initialize: { unsafe EVP_PKEY_verify_init($0) })
        else { return nil }
        guard let hashContext = unsafe EVP_MD_CTX_new() else {
            unsafe EVP_PKEY_CTX_free(keyContext)
            return nil
        }
        self.algorithm = algorithm
        self.hash = hash
        unsafe self.hashContext = hashContext
        unsafe self.keyContext = keyContext
        digest = [UInt8].zeros(function.count)
    }

    deinit {
        unsafe EVP_MD_CTX_free(hashContext)
        unsafe EVP_PKEY_CTX_free(keyContext)
    }

    /// Verifies a signature in OpenSSL's form (DER for ECDSA); after `false`, the context must not be used again.
    func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        var written: UInt32 = 0
        return unsafe EVP_DigestInit_ex2(hashContext, hash.pointer, nil) == 1
            && EVP_DigestUpdate(hashContext, message, message.count) == 1
            && EVP_DigestFinal_ex(hashContext, &digest, &written) == 1
            && Int(written) == digest.count
            && EVP_PKEY_verify(keyContext, signature, signature.count, digest, digest.count) == 1
    }
}
