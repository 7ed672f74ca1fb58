package import IdentityHTTP

/// A transport that fails, for tests that send no requests.
package struct NoNetwork: HTTPTransport {
    package static let failure = HTTPTransportError(
        code: .connectionFailed,
        phase: .notSent,
        message: "This transport sends no requests."
    )

    package init() {}

    package func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse { throw Self.failure }
}
