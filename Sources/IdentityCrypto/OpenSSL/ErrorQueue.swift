internal import CIdentityOpenSSL

/// OpenSSL's error queue of the current thread, which the application around us may be using too.
enum ErrorQueue {
    /// Keeps OpenSSL from taking itself apart when the process exits, if nobody has used it before us.
    ///
    /// Threads of ours, of libcurl and of libpq may still be using it at that moment, which then was their last
    /// (OPENSSL_init_crypto(3), `OPENSSL_INIT_NO_ATEXIT`). The memory goes with the process.
    private static let staysUntilTheEnd = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)

    /// Runs a body that may fail and leaves the queue as it was: what OpenSSL added is dropped, older entries stay.
    ///
    /// Expected failures (a wrong signature) must not be found later by somebody else's `ERR_get_error`.
    static func preserved<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        _ = staysUntilTheEnd
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        return try body()
    }
}
