import IdentityHTTP

/// A transport for tests that send nothing.
struct NoNetwork: HTTPTransport {
    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        throw HTTPTransportError(code: .connectionFailed, phase: .notSent, message: "No network in this test.")
    }
}
