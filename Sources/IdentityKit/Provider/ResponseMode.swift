/// How a provider sends its answer to a login back through the buyer's browser.
public enum ResponseMode: String, Sendable, CaseIterable {
    /// A redirect with the answer in the query, what the code flow does unless asked otherwise.
    case query
    /// A form that the browser posts, which keeps the code out of addresses, histories and logs (OAuth 2.0 Form Post Response
    /// Mode).
    ///
    /// The post comes from the provider's site, so a binding cookie needs `SameSite=None`.
    case formPost = "form_post"
}
