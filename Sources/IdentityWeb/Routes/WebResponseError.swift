/// An error that contains the response with which a request ends early, for example the redirect of
/// ``WebContext/requireSession(maxAge:acr:)`` to the sign-in.
///
/// ``SignInRoutes/handle(_:otherwise:)`` returns this response. In a framework's own routes, catch the error and send the response that
/// ``WebContext/response(for:)`` returns for it.
public struct WebResponseError: Error, Sendable {
    /// The response to the request.
    public let response: WebResponse

    /// Creates an error with its response.
    public init(_ response: WebResponse) {
        self.response = response
    }
}
