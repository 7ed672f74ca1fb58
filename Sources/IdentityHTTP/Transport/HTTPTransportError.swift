/// The reason why a transport returned no response to an HTTP request.
///
/// The errors that this package throws are safe to log: they never contain a query, a header value or a body.
public struct HTTPTransportError: Error, Sendable, Hashable {
    /// The kind of failure; it is not an enumeration, so that new codes do not break an app's code.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The stable name of the code.
        public let rawValue: String

        /// Creates a code from its stable name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The URL cannot be used by this transport.
        public static let invalidURL = Code(rawValue: "invalid_url")
        /// The URL is plain `http`, and not a loopback literal for which ``HTTPRequest/allowsLoopbackHTTP`` is set.
        public static let insecureURL = Code(rawValue: "insecure_url")
        /// The HTTP method is not a token (RFC 9110 section 5.6.2), is longer than 32 bytes, or is HEAD with a body.
        public static let invalidMethod = Code(rawValue: "invalid_method")
        /// A header, a cookie or the transport's user agent is invalid, for example too long, or a header is reserved for the
        /// transport.
        public static let invalidHeader = Code(rawValue: "invalid_header")
        /// The name of the host, or of the transport's proxy, could not be resolved.
        public static let resolutionFailed = Code(rawValue: "resolution_failed")
        /// No connection could be established.
        public static let connectionFailed = Code(rawValue: "connection_failed")
        /// No TLS session could be established: certificate not trusted, wrong host name, version too old; or the transport's file of
        /// certificate authorities cannot be read.
        public static let tlsFailed = Code(rawValue: "tls_failed")
        /// The ``AddressPolicy`` refused the address.
        public static let addressRefused = Code(rawValue: "address_refused")
        /// One of the deadlines of ``HTTPLimits`` passed.
        public static let timedOut = Code(rawValue: "timed_out")
        /// The response body is larger than ``HTTPLimits/maximumBodyBytes``.
        public static let bodyTooLarge = Code(rawValue: "body_too_large")
        /// The response headers are larger than ``HTTPLimits/maximumHeaderBytes``, or too long or too many for the transport.
        public static let headersTooLarge = Code(rawValue: "headers_too_large")
        /// The connection ended before the response was complete, or no response arrived and the request must not be sent again.
        public static let connectionLost = Code(rawValue: "connection_lost")
        /// The server's response is not valid HTTP, or is one that the transport does not support, such as status 101.
        public static let protocolViolation = Code(rawValue: "protocol_violation")
        /// ``HTTPRequest/maySend`` returned false.
        public static let sendingRefused = Code(rawValue: "sending_refused")
        /// The calling task was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
        /// The transport is closed, or was closed before the response was complete.
        public static let closed = Code(rawValue: "closed")
        /// The transport itself failed, for example because memory was exhausted.
        public static let internalFailure = Code(rawValue: "internal_failure")
    }

    /// Whether the server may have received the request.
    public enum Phase: Sendable, Hashable {
        /// No byte of the request reached the server, so it is safe to send it again.
        case notSent
        /// The server may have received and executed the request.
        case ambiguous
    }

    /// The kind of error.
    public let code: Code
    /// Whether the server may have received the request.
    public let phase: Phase
    /// A sentence for the log, without any secret.
    public let message: String

    /// Creates an error; for authors of transports.
    ///
    /// Use the phase ``Phase/notSent`` only if it is certain that no byte reached the server. The message must be a sentence without a
    /// query, a header value or a body.
    public init(code: Code, phase: Phase, message: String) {
        self.code = code
        self.phase = phase
        self.message = message
    }

    static func notSent(_ code: Code, _ message: String) -> HTTPTransportError {
        HTTPTransportError(code: code, phase: .notSent, message: message)
    }
}

extension HTTPTransportError: CustomStringConvertible {
    /// The code and the message.
    public var description: String {
        "\(code.rawValue): \(message)"
    }
}
