internal import IdentityHTTP
public import IdentityKit

/// Keeps answers, so that what everybody asks is asked once.
///
/// ``InMemoryResponseCache`` is the one that comes with the package. One of your own must keep answers no longer and show them to
/// nobody else than this one does: they are what a shop shows with this token, and are not sealed.
public protocol ResponseCache: Sendable {
    /// What is kept under a key.
    func response(for key: ResponseCacheKey) async -> CachedResponse?

    /// Keeps a response, in the place of what was there.
    func store(_ response: CachedResponse, for key: ResponseCacheKey) async

    /// Removes what was kept for a session that ended; nothing is kept for it from then on.
    func removeAll(for session: SessionID) async

    /// Removes everything.
    func removeAll() async
}

/// What a cache keeps.
public struct CachedResponse: Sendable {
    /// The answer's bytes.
    public let body: [UInt8]
    /// When they came, on the clock of the client's environment that never jumps: of use in one process only.
    public let storedAt: Duration
    /// What the headers told.
    public let metadata: GraphQLMetadata
    /// The session for which alone they were kept.
    public let session: SessionID?
}

extension CachedResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// How many bytes there are.
    public var description: String { "CachedResponse(\(body.count) bytes)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension GraphQLAnswer {
    /// Reads a kept answer like one that comes now.
    init(
        _ stored: CachedResponse,
        from endpoint: GraphQLEndpoint,
        hiding secrets: RedactedValues
    ) throws(GraphQLFailure) {
        let answer = try GraphQLAnswer(HTTPResponse(status: 200, body: stored.body), from: endpoint, hiding: secrets)
        self.init(data: answer.data, errors: answer.errors, metadata: stored.metadata)
    }
}
