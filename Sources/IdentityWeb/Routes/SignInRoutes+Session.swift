internal import FoundationEssentials
internal import IdentityKit

extension SignInRoutes {
    func sessionJSON(in context: WebContext) async throws -> WebResponse {
        let session = try await context.session()
        var object = JSONObject()
        object["signed_in"] = .bool(session != nil)
        if let session {
            object["provider"] = .string(session.provider)
            object["name"] = (session.buyer.displayName ?? session.buyer.givenName).map { .string($0) }
            object["expires_at"] = session.expiresAt.map { .string($0.formatted(.iso8601)) }
        }
        object["csrf_token"] = context.csrfToken.map { .string($0.reveal()) }
        return json(object)
    }
}
