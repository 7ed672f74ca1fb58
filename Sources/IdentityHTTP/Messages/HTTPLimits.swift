/// The time and size limits of one exchange; redirects need none, because a transport never follows them.
///
/// The transfer ends as soon as a limit is reached. ``CurlTransport`` checks the sizes in `LimitedResponseReader`.
public struct HTTPLimits: Sendable, Hashable {
    /// The time for name resolution, connection and TLS handshake together; 5 seconds unless set.
    public var connectTimeout: Duration
    /// The time until the first byte of the response, counted from the start; 10 seconds unless set.
    public var firstByteTimeout: Duration
    /// The time until the response is complete, counted from the start; 15 seconds unless set.
    public var totalTimeout: Duration
    /// The size of the response body; 1 MiB unless set.
    public var maximumBodyBytes: Int
    /// The size of the status line and all headers together; 64 KiB unless set.
    public var maximumHeaderBytes: Int

    /// Makes limits; every one has a default.
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
