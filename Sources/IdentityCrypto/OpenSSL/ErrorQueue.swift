internal import CIdentityOpenSSL

/// OpenSSL's error queue of the current thread, which the application around us may be using too.
enum ErrorQueue {
    /// Runs a body that may fail and leaves the queue as it was: what OpenSSL added is dropped, older entries stay.
    ///
    /// Expected failures (a wrong signature) must not be found later by somebody else's `ERR_get_error`.
    static func preserved<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        return try body()
    }
}
