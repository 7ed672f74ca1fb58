import IdentityHTTP

/// A transport that fails, for tests that send no requests.
struct NoNetwork: HTTPTransport {
    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        throw HTTPTransportError(code: .connectionFailed, phase: .notSent, message: "No network in this test.")
    }
}
