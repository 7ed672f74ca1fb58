internal import Synchronization

/// A request and the state of its transfer.
///
/// `@unchecked Sendable`: the caller sets ``continuation`` before it posts the exchange. After that, only the loop's thread uses the
/// variables. The state is in one class, because commands, handles and lists would copy a struct of this size many times.
final class CurlExchange: @unchecked Sendable {
    let request: HTTPRequest
    let isCancelled = Atomic(false)
    var reader: LimitedResponseReader
    /// How often ``CurlCallbacks`` permitted libcurl to write the request; while 0, no byte of the request has been sent.
    var attempts = 0
    /// The reason why a callback of ``CurlCallbacks`` refused an address or the request.
    var failure: (code: HTTPTransportError.Code, message: String)?
    var result: Result<HTTPResponse, HTTPTransportError>?
    var continuation: CheckedContinuation<Result<HTTPResponse, HTTPTransportError>, Never>?
    let totalDeadline: ContinuousClock.Instant
    private let firstByteDeadline: ContinuousClock.Instant

    init(_ request: HTTPRequest) {
        self.request = request
        reader = LimitedResponseReader(limits: request.limits, isHead: request.method == .head)
        let start = ContinuousClock.now
        totalDeadline = start.advanced(by: Self.bounded(request.limits.totalTimeout))
        firstByteDeadline = start.advanced(by: Self.bounded(request.limits.firstByteTimeout))
    }

    // Without the limit of one day, a large timeout of the app could overflow the clock's instant.
    private static func bounded(_ duration: Duration) -> Duration {
        min(max(duration, .zero), .seconds(86_400))
    }

    var phase: HTTPTransportError.Phase { attempts == 0 ? .notSent : .ambiguous }

    var deadline: ContinuousClock.Instant {
        reader.hasBegun ? totalDeadline : min(firstByteDeadline, totalDeadline)
    }

    func error(_ code: HTTPTransportError.Code, _ message: String) -> HTTPTransportError {
        HTTPTransportError(code: code, phase: phase, message: "\(request.url.origin): \(message)")
    }

    /// Resumes the caller with ``result``.
    func resumeCaller() {
        guard let result, let continuation else { return }
        continuation.resume(returning: result)
    }
}

enum CurlCommand: Sendable {
    case submit(CurlExchange)
    case cancel(CurlExchange)
    case close
}
