/// The limits of a ``LoopbackServer``.
package struct LoopbackLimits: Sendable {
    /// The maximum number of connections.
    ///
    /// For a further connection, the server closes the oldest one that waits for no response; if there is none, it
    /// closes the new one.
    package var connections = 4096
    /// The maximum size of a request's head, and of its trailers, in bytes.
    package var headerBytes = 64 << 10
    /// The maximum size of a request's body in bytes.
    package var bodyBytes = 4 << 20
    /// The time after which a silent client is disconnected.
    package var idleTimeout = Duration.seconds(60)

    package init() {}
}
