internal import Synchronization

final class CurlExchange: Sendable {
    let request: HTTPRequest
    let start = ContinuousClock.now
    let isCancelled = Atomic(false)

    init(_ request: HTTPRequest) {
        self.request = request
    }
}

enum CurlCommand: Sendable {
    typealias Continuation = CheckedContinuation<Result<HTTPResponse, HTTPTransportError>, Never>

    case submit(CurlExchange, Continuation)
    case cancel(CurlExchange)
    case close
}
