internal import CIdentityCurl
internal import CIdentityOpenSSL
internal import IdentityPlatform

/// libcurl's multi handle and the sockets that its thread waits for.
///
/// Sendable although it has a pointer: other threads only call ``SocketPoll/wake()``, and only through the mailbox, which stops
/// before both are freed. All other calls are made on the loop's thread.
@safe struct CurlMultiHandle: @unchecked Sendable {
    // Libcurl must be initialized once per process; doing so is thread-safe in every build that has the `threadsafe` feature. In
    // the others, a static constant prevents that this module does it twice at once.
    private static let globalResult = {
        // libcurl initializes OpenSSL. Without NO_ATEXIT, OpenSSL would free its memory at process exit while threads still use it.
        _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
        return identity_curl_global_init()
    }()

    /// The handle; for the loop's thread only.
    let pointer: UnsafeMutableRawPointer
    let sockets: SocketPoll

    init() throws(HTTPTransportError) {
        guard Self.globalResult == CURLE_OK, let sockets = SocketPoll() else { throw Self.failure }
        guard let pointer = unsafe curl_multi_init() else {
            sockets.close()
            throw Self.failure
        }
        unsafe self.pointer = pointer
        self.sockets = sockets
    }

    private static var failure: HTTPTransportError {
        .notSent(.internalFailure, "libcurl could not be started.")
    }

    func free() {
        // libcurl still removes its sockets.
        unsafe curl_multi_cleanup(pointer)
        sockets.close()
    }
}
