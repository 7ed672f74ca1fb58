/// One HTTP request with its limits and its rules for addresses and sending.
///
/// Printing or dumping a request shows at most the method, the URL without its query, the header names and the body's size.
public struct HTTPRequest: Sendable {
    /// The method.
    public var method: HTTPMethod
    /// The URL of the request.
    public var url: HTTPURL
    /// The header fields; ``CurlTransport`` refuses a field that only a transport may set, such as `Host` or `Content-Length`.
    public var headers: HTTPHeaders
    /// The body; `nil` if the request has no body.
    public var body: [UInt8]?
    /// The time and size limits.
    public var limits: HTTPLimits
    /// Whether plain `http` is permitted to 127.0.0.0/8 and ::1 literals, for tests on one machine.
    public var allowsLoopbackHTTP: Bool
    /// The addresses that the request may be sent to.
    public var addressPolicy: AddressPolicy
    /// Called as late as possible before the request is sent, at best after connection and TLS handshake.
    ///
    /// If the closure returns false, the request is not sent and ``HTTPTransportError/Code/sendingRefused`` is thrown. Nil, the default,
    /// permits sending.
    ///
    /// Use this closure for a request that may be sent only while a lock is held: the lock may expire while the transport connects or the
    /// process is suspended. The closure may be called on any thread and must not block. A transport that cannot call the closure
    /// immediately before the first byte calls it before it connects.
    public var maySend: (@Sendable () -> Bool)?
    /// Whether the request must not be sent twice, although its method is idempotent; by default false.
    ///
    /// An example is a GET that exchanges an authorization code.
    public var isSentOnce = false

    /// Creates a request; the parameters set the properties with the same names.
    public init(
        method: HTTPMethod,
        url: HTTPURL,
        headers: HTTPHeaders = HTTPHeaders(),
        body: [UInt8]? = nil,
        limits: HTTPLimits = HTTPLimits(),
        allowsLoopbackHTTP: Bool = false,
        addressPolicy: AddressPolicy = .any
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.limits = limits
        self.allowsLoopbackHTTP = allowsLoopbackHTTP
        self.addressPolicy = addressPolicy
    }
}

extension HTTPRequest: Redacted {
    /// The method, the URL without its query, the header names and the body's size.
    public var description: String {
        "\(method) \(url) \(headers)" + (body.map { " body: \($0.count) bytes" } ?? "")
    }
}
