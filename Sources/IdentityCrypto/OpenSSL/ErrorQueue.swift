internal import CIdentityOpenSSL

/// OpenSSL's error queue of the current thread, which the app may use, too.
enum ErrorQueue {
    /// Prevents OpenSSL from freeing its memory at process exit, unless the app has initialized OpenSSL before.
    ///
    /// Threads of this package, of libcurl and of libpq may still use OpenSSL at that moment and would crash
    /// (OPENSSL_init_crypto(3), `OPENSSL_INIT_NO_ATEXIT`). The kernel frees the memory.
    private static let keepsOpenSSLAtExit = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)

    /// Runs a body that may fail and restores the queue: new entries are removed, older entries stay.
    ///
    /// Otherwise the app's `ERR_get_error` would later return an expected failure, such as a wrong signature.
    static func preserved<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        _ = keepsOpenSSLAtExit
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        return try body()
    }

    /// Runs a body that adds entries only when it fails, and then empties the queue.
    ///
    /// It takes less time than ``preserved(_:)``, but a failure also removes the app's entries. Use it for operations that fail only if
    /// OpenSSL has no memory or no random bytes.
    static func emptiedAfterFailure(_ body: () -> Bool) -> Bool {
        _ = keepsOpenSSLAtExit
        if body() { return true }
        ERR_clear_error()
        return false
    }
}
