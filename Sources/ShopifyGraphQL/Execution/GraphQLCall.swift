package import IdentityHTTP
package import IdentityKit

/// What varies from call to call beside the operation: who asks, for whom, and in what context.
package struct GraphQLCall: Sendable {
    /// The headers of this call alone, such as the token and the buyer's IP.
    package var headers: HTTPHeaders
    /// What those headers hold that no error may repeat.
    package var secrets: [Secret]
    /// All that the context has, by the names of variables; a document gets what it declares.
    package var context: JSONObject
    /// How the app proves itself, in a form that tells tokens apart and does not tell them: for the keys of a cache.
    package var identity: String
    /// Whether the call is made in a buyer's name, so that its answer is nobody else's.
    package var isPersonal: Bool
    /// Whether a cache may answer.
    package var cachePolicy: CachePolicy
    /// The session whose end removes what the cache keeps of this call, and which alone gets it.
    package var session: SessionID?
    /// When the caller wants an answer at the latest, on the clock that never jumps; the policy's own deadline counts too.
    var deadline: Duration?
    /// What has become of the call so far, for the events.
    var progress: GraphQLProgress?

    package init(
        headers: HTTPHeaders = HTTPHeaders(),
        secrets: [Secret] = [],
        context: JSONObject = [:],
        identity: String = "",
        isPersonal: Bool = false,
        cachePolicy: CachePolicy = .networkOnly,
        session: SessionID? = nil
    ) {
        self.headers = headers
        self.secrets = secrets
        self.context = context
        self.identity = identity
        self.isPersonal = isPersonal
        self.cachePolicy = cachePolicy
        self.session = session
    }
}

extension GraphQLCall: CustomStringConvertible, CustomReflectable {
    /// Always the same words: headers and context hold tokens.
    package var description: String { "<call>" }
    /// Shows no children.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
