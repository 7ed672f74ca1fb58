/// A response that ends a request early, for example the redirect of ``WebContext/requireSession(maxAge:acr:)`` to the sign-in.
///
/// ``SignInRoutes/handle(_:otherwise:)`` sends it. In a framework's own routes, catch it and send ``WebContext/finish(_:)`` of the
/// response.
public struct WebResponseError: Error, Sendable {
    /// The response to the request.
    public let response: WebResponse

    /// Creates an error with its response.
    public init(_ response: WebResponse) {
        self.response = response
    }
}
