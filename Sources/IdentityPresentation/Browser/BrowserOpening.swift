public import IdentityHTTP

/// Shows a page in the buyer's own browser: an external user agent, never an embedded view (RFC 8252 section 8.12).
public protocol BrowserOpening: Sendable {
    /// Opens a page and returns at once.
    ///
    /// - Returns: False when no browser could be opened: then show the URL to the buyer. True does not prove that a page is shown.
    func open(_ url: HTTPURL) async -> Bool
}
