package import IdentityHTTP

/// A transport that fails, for tests that send no requests or that test a failure.
package struct NoNetwork: HTTPTransport {
    package static let failure = HTTPTransportError(
        code: .connectionFailed,
        phase: .notSent,
        message: "This transport sends no requests."
    )

    private let error: HTTPTransportError

    package init(_ error: HTTPTransportError = failure) {
        self.error = error
    }

    package func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse { throw error }
}
