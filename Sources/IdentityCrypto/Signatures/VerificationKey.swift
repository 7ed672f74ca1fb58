internal import CIdentityOpenSSL
internal import Synchronization

/// A public key that checks signatures, built from the numbers of a JWK (RFC 7517, 7518, 8037).
///
/// Any number of tasks may use the key at once. Keep one key for many verifications, because the key keeps OpenSSL's prepared contexts.
package final class VerificationKey: Sendable {
    private let handle: KeyHandle
    private let numbers: PublicNumbers
    /// The contexts that no verification uses now; each verification takes its own, so that concurrent verifications do not wait.
    private let contexts = Mutex<[VerificationContext]>([])
    private static let maximumContexts = 16

    private init(_ handle: KeyHandle, _ numbers: PublicNumbers) {
        self.handle = handle
        self.numbers = numbers
    }

    /// Creates an RSA key (RFC 7518 section 6.3.1) with 2048 to 8192 bits and an odd exponent from 3 to 2^32 - 1.
    ///
    /// A key with fewer bits can be broken. A key with more bits could be used to waste CPU time.
    package static func rsa(modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) -> VerificationKey {
        // Some issuers write a zero octet before the modulus, because their library encodes signed numbers. The number is the same.
        let significant = Array(modulus.drop { $0 == 0 })
        guard let first = significant.first, let last = significant.last, significant.count <= 1024 else {
            throw CryptoError(.invalidKey, "the RSA modulus is empty or longer than 8192 bits")
        }
        guard significant.count * 8 - first.leadingZeroBitCount >= 2048, last & 1 == 1 else {
            throw CryptoError(.invalidKey, "the RSA modulus is even or shorter than 2048 bits")
        }
        guard !PredictableModulus.isLikely(significant) else {
            throw CryptoError(.invalidKey, "the RSA modulus can probably be factored (CVE-2017-15361)")
        }
        let exponentDigits = exponent.drop { $0 == 0 }
        let exponentValue = exponentDigits.count <= 4 ? exponentDigits.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } : 0
        guard exponentValue >= 3, exponentValue & 1 == 1 else {
            throw CryptoError(.invalidKey, "the RSA exponent is not an odd number between 3 and 2^32")
        }
        let parameters = ParameterList()
        parameters.add(OSSL_PKEY_PARAM_RSA_N, bigEndian: significant)
        parameters.add(OSSL_PKEY_PARAM_RSA_E, bigEndian: Array(exponentDigits))
        guard let handle = KeyHandle.imported(type: "RSA", isPair: false, parameters) else {
            throw CryptoError(.invalidKey, "OpenSSL rejected the RSA key")
        }
        return VerificationKey(handle, .rsa(modulus: significant, exponent: exponent))
    }

    /// Creates a key on a NIST curve (RFC 7518 section 6.2.1).
    package static func ellipticCurve(
        _ curve: EllipticCurve,
        x: [UInt8],
        y: [UInt8]
    ) throws(CryptoError) -> VerificationKey {
        guard x.count == curve.coordinateCount, y.count == curve.coordinateCount else {
            throw CryptoError(.invalidKey, "a coordinate on \(curve.rawValue) must have \(curve.coordinateCount) bytes")
        }
        let parameters = ParameterList()
        parameters.add(OSSL_PKEY_PARAM_GROUP_NAME, text: curve.rawValue)
        parameters.add(OSSL_PKEY_PARAM_PUB_KEY, octets: [0x04] + x + y)
        guard let handle = KeyHandle.imported(type: "EC", isPair: false, parameters), handle.isPublicKeyConsistent
        else {
            throw CryptoError(.invalidKey, "OpenSSL rejected the point, which must be on \(curve.rawValue)")
        }
        return VerificationKey(handle, .ellipticCurve(curve, x: x, y: y))
    }

    /// Creates an Ed25519 key (RFC 8037 section 2).
    package static func ed25519(_ x: [UInt8]) throws(CryptoError) -> VerificationKey {
        let pointer = unsafe ErrorQueue.preserved { () -> OpaquePointer? in
            guard x.count == 32 else { return nil }
            return unsafe EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, x, x.count)
        }
        guard let pointer = unsafe pointer else {
            throw CryptoError(.invalidKey, "OpenSSL rejected the Ed25519 key, which must have 32 bytes")
        }
        return VerificationKey(unsafe KeyHandle(owning: pointer), .ed25519(x: x))
    }

    package func supports(_ algorithm: SignatureAlgorithm) -> Bool {
        numbers.supports(algorithm)
    }

    /// Whether this key verifies a signature in JOSE's form; false also if the key does not support the algorithm or OpenSSL fails.
    package func verify(_ signature: [UInt8], of message: [UInt8], algorithm: SignatureAlgorithm) -> Bool {
        guard supports(algorithm), signature.count == numbers.signatureCount else { return false }
        return ErrorQueue.preserved {
            switch numbers {
            case .rsa:
                verifyPrepared(signature, of: message, algorithm)
            case .ellipticCurve(let curve, _, _):
                verifyPrepared(
                    ECDSASignature.der(fromJOSE: signature, coordinateCount: curve.coordinateCount),
                    of: message,
                    algorithm
                )
            case .ed25519:
                verifyOneShot(signature, of: message)
            }
        }
    }

    private func verifyPrepared(_ signature: [UInt8], of message: [UInt8], _ algorithm: SignatureAlgorithm) -> Bool {
        let unused = contexts.withLock { contexts in
            contexts.lastIndex { $0.algorithm == algorithm }.map { contexts.remove(at: $0) }
        }
        guard let context = unused ?? VerificationContext(handle, algorithm), context.verify(signature, of: message)
        else { return false }
        contexts.withLock { if $0.count < Self.maximumContexts { $0.append(context) } }
        return true
    }

    /// Verifies an Ed25519 signature, for which OpenSSL 3.0 offers only one call with the whole message, and no prepared context.
    private func verifyOneShot(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        return unsafe EVP_DigestVerifyInit_ex(context, nil, nil, nil, nil, handle.pointer, nil) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}
