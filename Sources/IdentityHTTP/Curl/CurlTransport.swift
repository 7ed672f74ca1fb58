internal import IdentityPlatform
internal import Synchronization

/// The default transport: libcurl's multi interface on a dedicated thread.
///
/// This transport has more guarantees than ``HTTPTransport`` requires:
///
/// - TLS 1.2 or newer, with the server's certificate and host name verified; this cannot be turned off.
/// - Connections are kept and used again. HTTP/2 is offered if ``Configuration/offersHTTP2`` is true.
/// - `.netrc`, cookie files and environment variables such as `http_proxy` are ignored. Some other environment variables have an effect,
///   for example `OPENSSL_CONF`, and `SSLKEYLOGFILE`, which makes libcurl write TLS keys to that file.
/// - Bodies are not decompressed, so a small response cannot become a large one.
///
/// One transport is enough for a whole process. The transport ends with ``close()``, or when the last reference to it is released.
///
/// ```swift
/// var configuration = CurlTransport.Configuration()
/// configuration.proxy = try HTTPURL("http://proxy.example:3128")
/// let transport = try CurlTransport(configuration: configuration)
/// ```
public final class CurlTransport: HTTPTransport {
    private let mailbox: Mailbox<CurlCommand>

    /// Starts a transport with its thread.
    ///
    /// - Parameter configuration: Certificate authorities, proxy, user agent and connection limits; the defaults suit a server.
    /// - Throws: ``HTTPTransportError/Code/tlsFailed`` if the file of certificate authorities cannot be read,
    ///   ``HTTPTransportError/Code/invalidHeader`` for a user agent with control characters or of more than 1 KiB,
    ///   ``HTTPTransportError/Code/internalFailure`` if libcurl or a thread cannot be started.
    public init(configuration: Configuration = Configuration()) throws(HTTPTransportError) {
        try configuration.check()
        let multi = try CurlMultiHandle()
        let mailbox = Mailbox<CurlCommand>(wake: multi.sockets.wake)
        self.mailbox = mailbox
        guard DedicatedThread.start({ CurlLoop(mailbox, multi, configuration).run() }) else {
            _ = mailbox.close(releasing: multi.free)
            throw .notSent(.internalFailure, "The thread of the HTTP transport could not be started.")
        }
    }

    deinit {
        mailbox.post(.close)
    }

    /// Sends a request; see ``HTTPTransport/send(_:)``.
    public func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        try CurlTransport.check(request)
        let exchange = CurlExchange(request)
        let mailbox = mailbox
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                exchange.continuation = continuation
                if !mailbox.post(.submit(exchange)) {
                    continuation.resume(returning: .failure(CurlFailure.closed(.notSent)))
                }
            }
        } onCancel: {
            // The loop may read the cancel command before the submit command. It then sees the flag when it starts the request.
            exchange.isCancelled.store(true, ordering: .releasing)
            mailbox.post(.cancel(exchange))
        }
        return try result.get()
    }

    /// Ends all running requests with ``HTTPTransportError/Code/closed`` and closes all connections.
    public func close() async {
        mailbox.post(.close)
        await mailbox.waitForEnd()
    }

    // Only the transport may set these headers. A second value for Content-Length, Transfer-Encoding or Connection would allow
    // request smuggling.
    private static let reservedHeaders: [String] = [
        "connection", "content-length", "expect", "host", "http2-settings", "keep-alive", "proxy-authorization",
        "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    private static func check(_ request: HTTPRequest) throws(HTTPTransportError) {
        guard request.url.isSecure(orLoopback: request.allowsLoopbackHTTP) else {
            throw .notSent(.insecureURL, "\(request.url.origin) is not https.")
        }
        let method = request.method.rawValue.utf8
        guard !method.isEmpty, method.count <= 32, method.allSatisfy(ASCII.isToken) else {
            throw .notSent(
                .invalidMethod,
                "The HTTP method is empty, longer than 32 bytes, or has a character that RFC 9110 forbids."
            )
        }
        guard request.method != .head || request.body == nil else {
            throw .notSent(.invalidMethod, "A HEAD request must not have a body.")
        }
        for name in reservedHeaders where request.headers.contains(name) {
            throw .notSent(.invalidHeader, "The header \(name) is reserved for the transport and must not be set.")
        }
    }
}
