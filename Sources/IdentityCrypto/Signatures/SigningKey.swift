internal import CIdentityOpenSSL

/// A key pair that signs: a client's key, a session's DPoP key, or, in tests and the sandbox, an issuer's key.
///
/// The private half cannot be exported, except for the private number of an elliptic curve key; see ``privateNumber()``.
package final class SigningKey: Sendable {
    package let publicNumbers: PublicNumbers
    let handle: KeyHandle

    init(_ handle: KeyHandle) throws(CryptoError) {
        self.handle = handle
        publicNumbers = try handle.publicNumbers()
    }

    private convenience init(generated handle: KeyHandle?) throws(CryptoError) {
        let failure = CryptoError(.operationFailed, "OpenSSL could not generate a key")
        guard let handle else { throw failure }
        do {
            try self.init(handle)
        } catch {
            throw failure
        }
    }

    /// Generates an RSA key; `bits` is a multiple of 8 between 1024 and 8192.
    ///
    /// The generation can take more than 0.1 seconds, so keep the key. Fewer than 2048 bits are permitted only for tests, which check that
    /// small keys are refused.
    package static func generateRSA(bits: Int = 2048) throws(CryptoError) -> SigningKey {
        guard (1024...8192).contains(bits), bits % 8 == 0 else {
            throw CryptoError(
                .invalidLength,
                "the size of an RSA key must be a multiple of 8 between 1024 and 8192 bits"
            )
        }
        let handle = unsafe KeyHandle.generate(type: "RSA") {
            unsafe EVP_PKEY_CTX_set_rsa_keygen_bits($0, Int32(bits)) == 1
        }
        return try SigningKey(generated: handle)
    }

    package static func generateEllipticCurve(_ curve: EllipticCurve) throws(CryptoError) -> SigningKey {
        let handle = unsafe KeyHandle.generate(type: "EC") {
            unsafe EVP_PKEY_CTX_set_group_name($0, curve.rawValue) == 1
        }
        return try SigningKey(generated: handle)
    }

    package static func generateEd25519() throws(CryptoError) -> SigningKey {
        try SigningKey(generated: unsafe KeyHandle.generate(type: "ED25519") { _ in true })
    }

    package func supports(_ algorithm: SignatureAlgorithm) -> Bool {
        publicNumbers.supports(algorithm)
    }

    /// Signs a message; the signature is in JOSE's form (for ECDSA the concatenation of r and s).
    package func sign(_ message: [UInt8], algorithm: SignatureAlgorithm) throws(CryptoError) -> [UInt8] {
        guard supports(algorithm) else {
            throw CryptoError(.unsupportedAlgorithm, "this key cannot sign with \(algorithm.rawValue)")
        }
        let signed: [UInt8]?
        if let function = algorithm.hashFunction {
            let digest = try Digest.digest(message, function)
            let hash = try function.algorithm.available()
            signed = ErrorQueue.preserved { signDigest(digest, algorithm, hash) }
        } else {
            signed = ErrorQueue.preserved { signOneShot(message) }
        }
        guard let signed else { throw CryptoError(.operationFailed, "OpenSSL could not sign with the key") }
        return signed
    }

    private func signDigest(_ digest: [UInt8], _ algorithm: SignatureAlgorithm, _ hash: FetchedAlgorithm) -> [UInt8]? {
        guard let context = unsafe handle.makeContext(algorithm, hash, initialize: { unsafe EVP_PKEY_sign_init($0) })
        else { return nil }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var count = 0
        guard unsafe EVP_PKEY_sign(context, nil, &count, digest, digest.count) == 1 else { return nil }
        var signature = [UInt8].zeros(count)
        guard unsafe EVP_PKEY_sign(context, &signature, &count, digest, digest.count) == 1 else { return nil }
        signature.removeLast(signature.count - count)
        guard case .ellipticCurve(let curve, _, _) = publicNumbers else { return signature }
        return ECDSASignature.jose(fromDER: signature, coordinateCount: curve.coordinateCount)
    }

    private func signOneShot(_ message: [UInt8]) -> [UInt8]? {
        guard let context = unsafe EVP_MD_CTX_new() else { return nil }
        defer { unsafe EVP_MD_CTX_free(context) }
        var signature = [UInt8].zeros(publicNumbers.signatureCount)
        var count = signature.count
        guard
            unsafe EVP_DigestSignInit_ex(context, nil, nil, nil, nil, handle.pointer, nil) == 1,
            unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1,
            count == signature.count
        else { return nil }
        return signature
    }
}
