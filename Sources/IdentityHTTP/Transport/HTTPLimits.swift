/// The time and size limits of one request and its response.
///
/// The transfer ends as soon as a limit is exceeded. Redirects have no limit, because a transport never follows them.
public struct HTTPLimits: Sendable, Hashable {
    /// The maximum time for name resolution, connection and TLS handshake together; by default 5 seconds.
    ///
    /// The addresses of a name share this time. If the name has IPv6 and IPv4 addresses, ``CurlTransport`` tries both kinds at nearly the
    /// same time. `Documentation/Trust/TransportLimits.md` says how several addresses of one kind share the time.
    ///
    /// With libcurl 8.9.1 or newer, ``CurlTransport`` may also count the wait for a free connection
    /// (``CurlTransport/Configuration/maximumConnections``).
    public var connectTimeout: Duration
    /// The maximum time until the status line of the response, counted from the call of `send`; by default 10 seconds.
    ///
    /// Informational responses (1xx) do not count.
    public var firstByteTimeout: Duration
    /// The maximum time until the response is complete, counted from the call of `send`; by default 15 seconds.
    public var totalTimeout: Duration
    /// The maximum size of the response body; by default 1 MiB.
    public var maximumBodyBytes: Int
    /// The maximum size of the status line and all headers together; by default 64 KiB.
    public var maximumHeaderBytes: Int

    /// Creates limits; each limit has a default.
    public init(
        connectTimeout: Duration = .seconds(5),
        firstByteTimeout: Duration = .seconds(10),
        totalTimeout: Duration = .seconds(15),
        maximumBodyBytes: Int = 1 << 20,
        maximumHeaderBytes: Int = 64 << 10
    ) {
        self.connectTimeout = connectTimeout
        self.firstByteTimeout = firstByteTimeout
        self.totalTimeout = totalTimeout
        self.maximumBodyBytes = maximumBodyBytes
        self.maximumHeaderBytes = maximumHeaderBytes
    }
}
