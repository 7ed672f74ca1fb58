package import IdentityHTTP
package import IdentityKit

/// The settings of a call besides its operation: headers, context, cache policy and deadline.
package struct GraphQLCall: Sendable {
    /// The headers of this call, such as the token and the buyer's IP.
    package var headers = HTTPHeaders()
    /// The secrets in ``headers``, which are hidden in errors.
    package var secrets: [Secret] = []
    /// The values of context variables such as `country`, by the variables' names.
    ///
    /// The client sends only values whose names are in the operation's ``GraphQLDocument/contextVariables``.
    package var context = JSONObject()
    /// A digest of the app's token, so that responses for different tokens have different keys in the cache.
    package var identity = ""
    /// Whether the call is made for a buyer; the response to such a call is never cached.
    package var isPersonal = false
    package var cachePolicy = CachePolicy.networkOnly
    /// The only session that may get the cached response; nil for a response that belongs to no session.
    package var session: SessionID?
    /// The caller's deadline on the monotonic clock; the deadline of the client's `RetryLimits` applies too.
    package var deadline: Duration?
    /// The number of attempts and the last request id, for events.
    var progress: GraphQLProgress?
}

extension GraphQLCall {
    package init(secrets: [Secret] = []) {
        self.init(headers: HTTPHeaders(), secrets: secrets)
    }
}

extension GraphQLCall: Redacted {
    /// A constant text, because headers and context contain tokens.
    package var description: String { "<call>" }
}
