/// How a provider sends the authorization response back through the buyer's browser.
public enum ResponseMode: String, Sendable, CaseIterable {
    /// A redirect with the response in the query, the default of the code flow.
    case query
    /// A form that the browser posts, which keeps the code out of URLs, histories and logs (OAuth 2.0 Form Post Response Mode).
    ///
    /// The post comes from the provider's site, so the browser sends the binding cookie only if the cookie has `SameSite=None`.
    case formPost = "form_post"
}
