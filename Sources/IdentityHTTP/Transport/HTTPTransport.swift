/// Sends one HTTP request and returns the whole response.
///
/// Everything in this package that talks HTTP does it through this one method, so an app can bring its own client.
/// ``CurlTransport`` is the transport that is used when none is given.
///
/// ### What an implementer promises
///
/// - It may be called from any task, any number of times at once.
/// - Redirects are **not** followed; a 3xx is a response like any other. Following one would carry the client's
///   credentials to a host that nobody checked.
/// - No cookies are kept, nothing is cached, no content coding is asked for or undone.
/// - Every field of ``HTTPRequest/limits`` holds, whatever the server does.
/// - Plain `http` is refused unless ``HTTPRequest/allowsLoopbackHTTP`` is set and the host is a loopback literal.
/// - ``HTTPRequest/addressPolicy`` is asked about the very address that the request goes to.
/// - ``HTTPRequest/maySend`` is asked as late as the transport can before the request leaves.
/// - A request that is not idempotent is never sent twice.
/// - Cancelling the calling task ends the exchange soon and throws ``HTTPTransportError/Code/cancelled``.
/// - ``HTTPTransportError/phase`` is ``HTTPTransportError/Phase/notSent`` only where it is certain that no byte of the
///   request reached the server; the decision whether a one-use token may be used again rests on it.
///
/// Run `TransportConformance` from `IdentityTesting` on a transport of your own.
public protocol HTTPTransport: Sendable {
    /// Sends a request and returns the response once it is complete.
    ///
    /// - Throws: ``HTTPTransportError``. A response with any status, 500 too, is not an error.
    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse
}
