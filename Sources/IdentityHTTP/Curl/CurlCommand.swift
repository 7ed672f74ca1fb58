internal import CIdentityCurl
internal import Synchronization

/// A request that the loop processes.
final class CurlExchange: Sendable {
    let request: HTTPRequest
    let start = ContinuousClock.now
    let isCancelled = Atomic(false)

    init(_ request: HTTPRequest) {
        self.request = request
    }
}

/// The commands of tasks to the loop.
enum CurlCommand: Sendable {
    typealias Continuation = CheckedContinuation<Result<HTTPResponse, HTTPTransportError>, Never>

    case submit(CurlExchange, Continuation)
    case cancel(CurlExchange)
    case close
}

/// libcurl's multi handle.
///
/// Sendable although it is a pointer: other threads pass it only to `curl_multi_wakeup`, which libcurl documents as callable from
/// any thread, and only through the mailbox, which stops before the handle is freed. All other calls are made on the loop's thread.
@safe struct CurlMultiHandle: @unchecked Sendable {
    // Libcurl must be initialized once per process; doing so is thread-safe in every build that has the `threadsafe` feature, and
    // a static constant makes it so in the others.
    private static let globalResult = identity_curl_global_init()

    /// The handle; for the loop's thread only.
    let pointer: UnsafeMutableRawPointer

    init() throws(HTTPTransportError) {
        guard Self.globalResult == CURLE_OK, let pointer = unsafe curl_multi_init() else {
            throw HTTPTransportError(code: .internalFailure, phase: .notSent, message: "libcurl could not be started.")
        }
        unsafe self.pointer = pointer
    }

    func wake() {
        unsafe curl_multi_wakeup(pointer)
    }

    func free() {
        unsafe curl_multi_cleanup(pointer)
    }
}
