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

    package init(headers: HTTPHeaders = HTTPHeaders(), secrets: [Secret] = [], context: JSONObject = [:]) {
        self.headers = headers
        self.secrets = secrets
        self.context = context
    }
}
