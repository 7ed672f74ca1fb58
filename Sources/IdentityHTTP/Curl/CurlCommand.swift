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
