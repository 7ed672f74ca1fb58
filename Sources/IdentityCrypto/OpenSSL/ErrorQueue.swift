internal import CIdentityOpenSSL

/// Keeps this SDK's entries out of OpenSSL's error queue of the current thread, because the app may read the same queue.
enum ErrorQueue {
    /// Prevents OpenSSL from freeing its memory at process exit, unless the app has initialized OpenSSL before.
    ///
    /// At process exit, threads of this package, of libcurl and of libpq may still use OpenSSL. They could crash if OpenSSL freed its
    /// memory (OPENSSL_init_crypto(3), `OPENSSL_INIT_NO_ATEXIT`).
    private static let keepsOpenSSLAtExit = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)

    /// Runs a body that may fail and restores the queue: new entries are removed, older entries stay.
    ///
    /// If new entries stayed, the app's next `ERR_get_error` could return an error of this SDK, such as a wrong signature.
    static func preserved<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        _ = keepsOpenSSLAtExit
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        return try body()
    }

    /// Runs a body that adds entries only when it fails, and then empties the queue.
    ///
    /// This function takes less time than ``preserved(_:)``, but a failure also removes the app's entries. Use this function for operations
    /// that fail only if OpenSSL has no memory or no random bytes.
    static func emptiedAfterFailure(_ body: () -> Bool) -> Bool {
        _ = keepsOpenSSLAtExit
        if body() { return true }
        ERR_clear_error()
        return false
    }
}
