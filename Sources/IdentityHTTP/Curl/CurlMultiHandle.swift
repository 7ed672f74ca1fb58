internal import CIdentityCurl
internal import CIdentityOpenSSL
internal import IdentityPlatform

/// libcurl's multi handle and the sockets that the transport's thread waits for.
///
/// `@unchecked Sendable`: only the transport's thread uses `pointer`. Other threads call only ``SocketPoll/wake()``, through the mailbox,
/// which calls `free()` after the last wake-up. If the thread cannot be started, ``CurlTransport`` closes the mailbox.
@safe struct CurlMultiHandle: @unchecked Sendable {
    // libcurl must be initialized before its first use. Two threads must not do this at once if libcurl lacks the feature
    // `threadsafe`. Swift initializes a static constant once, in one thread.
    private static let globalResult = {
        // libcurl initializes OpenSSL. Without NO_ATEXIT, OpenSSL would free its memory at process exit while threads still use it.
        _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
        return identity_curl_global_init()
    }()

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
        // libcurl's cleanup still removes its sockets from `sockets`, so `sockets` is closed afterwards.
        unsafe curl_multi_cleanup(pointer)
        sockets.close()
    }
}
