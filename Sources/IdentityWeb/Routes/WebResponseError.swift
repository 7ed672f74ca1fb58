/// A response that ends the handling of a request: thrown by ``WebContext/requireSession(maxAge:acr:)`` for a browser that is not signed in.
///
/// ``SignInRoutes/handle(_:otherwise:)`` sends it. In a framework's own routes, catch it and send ``WebContext/finish(_:)`` of the
/// response.
public struct WebResponseError: Error, Sendable {
    /// The response.
    public let response: WebResponse

    /// Creates an error with its response.
    public init(_ response: WebResponse) {
        self.response = response
    }
}
