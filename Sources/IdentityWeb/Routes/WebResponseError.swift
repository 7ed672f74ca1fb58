/// An error that contains the response to send instead of the requested page, for example the redirect of
/// ``WebContext/requireSession(maxAge:acr:)`` to the sign-in.
///
/// ``SignInRoutes/handle(_:otherwise:)`` sends this response. If you do not use that function, catch the error and send the response that
/// ``WebContext/response(for:)`` returns for it.
public struct WebResponseError: Error, Sendable {
    /// The response to send.
    public let response: WebResponse

    /// Creates an error with its response.
    public init(_ response: WebResponse) {
        self.response = response
    }
}
