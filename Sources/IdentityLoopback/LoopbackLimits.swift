package struct LoopbackLimits: Sendable {
    /// The maximum number of connections.
    ///
    /// When the limit is reached and a client connects, the server closes the oldest connection that waits for no response. If each
    /// connection waits for a response, the server closes the new connection.
    package var connections = 4096
    /// The maximum size of a request's head, and of its trailers, in bytes.
    package var headerBytes = 64 << 10
    /// The maximum size of a request's body in bytes.
    package var bodyBytes = 4 << 20
    /// How long a connection may be without input and output before the server closes it; the time of the handler does not count.
    package var idleTimeout = Duration.seconds(60)

    package init() {}
}
