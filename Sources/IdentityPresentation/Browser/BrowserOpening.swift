public import IdentityHTTP

/// Shows a page in the buyer's own browser: an external user agent, never an embedded view (RFC 8252 section 8.12).
public protocol BrowserOpening: Sendable {
    /// Opens a page and returns at once.
    ///
    /// - Returns: False where there is no browser to open; the buyer is then shown the URL.
    func open(_ url: HTTPURL) async -> Bool
}
