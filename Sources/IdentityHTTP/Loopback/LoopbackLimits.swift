/// What a ``LoopbackServer`` takes in at most.
package struct LoopbackLimits: Sendable {
    /// How many connections it holds; a further one takes the place of the oldest that is not being answered.
    package var connections = 4096
    /// How many bytes a request's head or trailers may have.
    package var headerBytes = 64 << 10
    /// How many bytes a request's body may have.
    package var bodyBytes = 4 << 20
    /// How long a client may be silent.
    package var idleTimeout = Duration.seconds(60)

    package init() {}
}
