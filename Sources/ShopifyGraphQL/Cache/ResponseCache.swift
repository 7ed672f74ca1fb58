internal import IdentityHTTP
public import IdentityKit

/// Stores responses of an API, so that later calls need no request.
///
/// Use ``InMemoryResponseCache``, or a cache of your own. Your own cache must return only responses that were stored for the same key. It
/// must not keep responses after the process has ended, because their age is measured on the process's monotonic clock. Responses contain
/// data that the shop returns for the app's token, and are not encrypted. `ResponseCacheConformance` of `IdentityTesting` tests a cache.
public protocol ResponseCache: Sendable {
    /// The response for a key; nil if the cache has no response for the key.
    func response(for key: ResponseCacheKey) async -> CachedResponse?

    /// Stores a response, and replaces an earlier response with the same key.
    func store(_ response: CachedResponse, for key: ResponseCacheKey) async

    /// Removes the responses of a session that has ended.
    ///
    /// After this call, ``store(_:for:)`` must ignore responses for this session, because a response may arrive after the session's end. A
    /// later call of ``removeAll()`` must not change this.
    func removeAll(for session: SessionID) async

    /// Removes all responses.
    func removeAll() async
}

/// A cached response.
public struct CachedResponse: Sendable {
    /// The bytes of the body.
    public let body: [UInt8]
    /// When the response was stored, on the monotonic clock of the client's environment.
    public let storedAt: Duration
    /// The metadata of the response.
    public let metadata: GraphQLMetadata
    /// The only session that may get the response; nil for a response that belongs to no session.
    public let session: SessionID?
}

extension CachedResponse {
    /// A response without headers, for the conformance suite of caches.
    package init(body: [UInt8], storedAt: Duration, session: SessionID?) {
        let version = ShopifyAPIVersion(rawValue: "2026-10")
        let metadata = GraphQLMetadata(HTTPResponse(status: 200), asked: version, cost: nil, hiding: RequestSecrets())
        self.init(body: body, storedAt: storedAt, metadata: metadata, session: session)
    }
}

extension CachedResponse: Redacted {
    /// The number of bytes.
    public var description: String { "CachedResponse(\(body.count) bytes)" }
}

extension GraphQLResponse {
    init(
        _ stored: CachedResponse,
        from endpoint: GraphQLEndpoint,
        hiding secrets: RequestSecrets
    ) throws(GraphQLFailure) {
        let answer = try GraphQLResponse(HTTPResponse(status: 200, body: stored.body), from: endpoint, hiding: secrets)
        self.init(data: answer.data, errors: answer.errors, metadata: stored.metadata)
    }
}
