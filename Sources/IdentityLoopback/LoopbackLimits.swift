/// The limits of a ``LoopbackServer``.
package struct LoopbackLimits: Sendable {
    /// The number of connections.
    ///
    /// A further one replaces the oldest that is not being answered.
    package var connections = 4096
    /// How many bytes a request's head or trailers may have.
    package var headerBytes = 64 << 10
    /// How many bytes a request's body may have.
    package var bodyBytes = 4 << 20
    /// How long a client may be silent.
    package var idleTimeout = Duration.seconds(60)

    package init() {}
}
