internal import CIdentityOpenSSL

/// An algorithm implementation fetched from OpenSSL's providers, once in a process.
///
/// A fetch takes a lock and compares property strings. The old getters, such as `EVP_sha256()`, fetch on each use.
///
/// `@unchecked Sendable`: the pointer is never reassigned, the object behind it is immutable after the fetch, and OpenSSL
/// counts references to it atomically, so any number of threads may use it at once.
@safe
final class FetchedAlgorithm: @unchecked Sendable {
    let pointer: OpaquePointer
    private let release: (OpaquePointer) -> Void

    private init?(_ fetch: () -> OpaquePointer?, release: @escaping (OpaquePointer) -> Void) {
        guard let pointer = unsafe ErrorQueue.preserved(fetch) else { return nil }
        unsafe self.pointer = pointer
        unsafe self.release = release
    }

    deinit {
        unsafe release(pointer)
    }

    static let sha256 = digest("SHA2-256")
    static let sha384 = digest("SHA2-384")
    static let sha512 = digest("SHA2-512")

    static let aes256GCM = unsafe FetchedAlgorithm(
        { unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil) },
        release: { unsafe EVP_CIPHER_free($0) }
    )

    static let hmac = unsafe FetchedAlgorithm(
        { unsafe EVP_MAC_fetch(nil, "HMAC", nil) },
        release: { unsafe EVP_MAC_free($0) }
    )

    static let hkdf = unsafe FetchedAlgorithm(
        { unsafe EVP_KDF_fetch(nil, "HKDF", nil) },
        release: { unsafe EVP_KDF_free($0) }
    )

    private static func digest(_ name: String) -> FetchedAlgorithm? {
        unsafe FetchedAlgorithm({ unsafe EVP_MD_fetch(nil, name, nil) }, release: { unsafe EVP_MD_free($0) })
    }
}

extension Optional where Wrapped == FetchedAlgorithm {
    /// The algorithm, or the error for an OpenSSL without the provider that has it.
    func available() throws(CryptoError) -> FetchedAlgorithm {
        guard let self else {
            throw CryptoError(.operationFailed, "OpenSSL does not have the algorithm; is its provider loaded?")
        }
        return self
    }
}
