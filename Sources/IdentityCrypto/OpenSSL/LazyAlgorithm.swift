internal import CIdentityOpenSSL
internal import Synchronization

/// An algorithm that is fetched from OpenSSL at its first use and then kept, because a fetch is slow: it takes a lock and compares strings.
///
/// After a failed fetch, the next use fetches again, because OpenSSL may have lacked memory only for a moment.
final class LazyAlgorithm: Sendable {
    // `AtomicLazyReference` is not inlined, so its `load` takes five times as long as this lock.
    private let fetched = Mutex<FetchedAlgorithm?>(nil)
    private let name: String
    private let fetch: @Sendable () -> FetchedAlgorithm?

    private init(
        _ name: String,
        _ fetch: @escaping @Sendable () -> OpaquePointer?,
        release: @escaping @Sendable (OpaquePointer) -> Void
    ) {
        self.name = name
        self.fetch = { unsafe FetchedAlgorithm(fetch, release: release) }
    }

    func available() throws(CryptoError) -> FetchedAlgorithm {
        if let known = fetched.withLock(\.self) { return known }
        guard let new = fetch() else {
            throw CryptoError(
                .operationFailed,
                "OpenSSL could not provide \(name); check that openssl.cnf does not disable the default provider"
            )
        }
        return fetched.withLock { known in
            if let known { return known }
            known = new
            return new
        }
    }

    static let aes256GCM = cipher("AES-256-GCM")
    static let aes128CBC = cipher("AES-128-CBC")
    static let hmac = unsafe LazyAlgorithm(
        "HMAC",
        { unsafe EVP_MAC_fetch(nil, "HMAC", nil) },
        release: { unsafe EVP_MAC_free($0) }
    )
    static let hkdf = unsafe LazyAlgorithm(
        "HKDF",
        { unsafe EVP_KDF_fetch(nil, "HKDF", nil) },
        release: { unsafe EVP_KDF_free($0) }
    )

    static func digest(_ name: String) -> LazyAlgorithm {
        unsafe LazyAlgorithm(name, { unsafe EVP_MD_fetch(nil, name, nil) }, release: { unsafe EVP_MD_free($0) })
    }

    private static func cipher(_ name: String) -> LazyAlgorithm {
        unsafe LazyAlgorithm(name, { unsafe EVP_CIPHER_fetch(nil, name, nil) }, release: { unsafe EVP_CIPHER_free($0) })
    }
}
