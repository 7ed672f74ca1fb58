/// Sends one HTTP request and returns the whole response.
///
/// All HTTP requests of the SDK go through this one method, so an app can supply its own client.
/// `AuthClient` and `IdentitySetup` use ``CurlTransport`` if the app passes no environment.
///
/// ### Requirements for an implementation
///
/// - `send` may be called from any task, any number of times at once.
/// - Redirects are **not** followed; a 3xx is a response like any other. Following one would send the client's
///   credentials to an unchecked host.
/// - Cookies are not kept, responses are not cached, content codings are neither requested nor decoded.
/// - Every field of ``HTTPRequest/limits`` is enforced for every response.
/// - Plain `http` is refused unless ``HTTPRequest/allowsLoopbackHTTP`` is set and the host is a loopback literal.
/// - The address that the request is sent to is checked with ``HTTPRequest/addressPolicy``.
/// - ``HTTPRequest/maySend`` is called as late as possible before the request is sent.
/// - A request that is not idempotent, that has ``HTTPRequest/isSentOnce``, or that has a `DPoP` header (RFC 9449 section 11.1) is never
///   sent twice, not even after the reused connection broke.
/// - Bytes after a response, also those that arrive while the connection is idle, never become the response to another request.
/// - A response that is not valid HTTP, or that two parsers could read differently, is refused with
///   ``HTTPTransportError/Code/protocolViolation``; a truncated response with ``HTTPTransportError/Code/connectionLost``.
/// - Cancelling the calling task ends the exchange soon and throws ``HTTPTransportError/Code/cancelled``.
/// - ``HTTPTransportError/phase`` is ``HTTPTransportError/Phase/notSent`` only if it is certain that no byte of the
///   request reached the server. From the phase, the SDK decides whether a one-use token may be sent again. The phase must be `notSent`
///   when the transport refuses the request itself, or when the server refuses the connection.
///
/// Run `TransportConformance` from `IdentityTesting` on a transport of your own.
///
/// ```swift
/// struct PrintingTransport: HTTPTransport {
///     let inner: CurlTransport
///     func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
///         print("request to \(request.url.host)")
///         return try await inner.send(request)
///     }
/// }
/// ```
public protocol HTTPTransport: Sendable {
    /// Sends a request and returns the response once it is complete.
    ///
    /// - Throws: ``HTTPTransportError``. A response with any status is returned and not thrown.
    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse
}
