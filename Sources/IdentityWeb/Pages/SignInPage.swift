public import IdentityKit

/// A page of the sign-in that a buyer sees; an implementation of ``SignInPages`` turns it into HTML.
///
/// The page contains no internal message: only texts on which a buyer can act, and the correlation id for the app's support.
public struct SignInPage: Sendable {
    /// The content of a page.
    public enum Content: Sendable {
        /// The buyer chooses a provider; each choice is a link.
        case chooseProvider([Choice])
        /// The callback is invalid, late, repeated or without its cookie, or the return path is forbidden; or the session has ended.
        case signInExpired
        /// The sign-in was refused, or a page of the app threw an error of kind `rejected`.
        case signInRefused
        /// The request came from another site or from an unknown site (cross-site request forgery), or it would begin a sign-in in an
        /// image, a frame or a script.
        case requestRefused
        /// The buyer cancelled the sign-in at the provider; after a step-up, the buyer keeps the old session.
        case signInCancelled
        /// The provider, the store or the shop does not respond at the moment, or limits requests; or the task of the request was cancelled.
        case unavailable(retryAfter: Duration?)
        /// Too many sign-ins began from the client's address.
        case tooManySignIns(retryAfter: Duration)
        /// The buyer is signed out.
        case signedOut
        /// The buyer has to confirm the sign-out: a form with one button posts these fields to the action.
        case confirmSignOut(action: String, fields: [(name: String, value: Secret)])
        /// The path belongs to no page or provider, or the route does not have the request's method.
        case notFound
        /// An error of kind `configuration`: a developer must correct the app or its configuration. For example, the provider of the
        /// browser's session is not configured.
        case failed
    }

    /// One provider to choose.
    public struct Choice: Sendable {
        /// The provider's name in the configuration.
        public let provider: String
        /// The provider's kind, for example `shopify`.
        public let kind: String
        /// The text of the button; no two choices of a page have the same text.
        public let displayName: String
        /// The link that begins the sign-in.
        public let link: String

        /// Creates a choice, for a test of an app's own pages.
        public init(provider: String, kind: String, displayName: String, link: String) {
            self.provider = provider
            self.kind = kind
            self.displayName = displayName
            self.link = link
        }
    }

    /// The content of the page.
    public let content: Content
    /// The id of the error, for the app's support; nil on a page without an error.
    ///
    /// The event `IdentityEvent.Kind.requestFailed` and the other events of the failed operation carry it too.
    public let correlationID: String?
    /// The link that begins a new sign-in.
    public let signInLink: String
    /// The link to the app's home page.
    public let homeLink: String

    /// The status of the response: the content's status, or `IdentityError.httpStatus` on the page of an error.
    public let status: Int

    /// Creates a page, for a test of an app's own ``SignInPages``.
    ///
    /// - Parameters:
    ///   - content: What the page says.
    ///   - status: The status of the response; nil for the content's status.
    ///   - correlationID: The id for the app's support.
    ///   - signInLink: The link that begins a new sign-in.
    ///   - homeLink: The link to the app's home page.
    public init(
        content: Content,
        status: Int? = nil,
        correlationID: String? = nil,
        signInLink: String,
        homeLink: String
    ) {
        self.content = content
        self.status = status ?? content.status
        self.correlationID = correlationID
        self.signInLink = signInLink
        self.homeLink = homeLink
    }

    /// The value of `Retry-After`; nil if the buyer need not wait.
    public var retryAfter: Duration? { content.retryAfter }
}

/// Writes the pages of the sign-in; an app implements it to show pages in its own look and language instead of ``StandardPages``.
///
/// The routes add the status and the security headers. Their `Content-Security-Policy` permits inline styles, style sheets, images and
/// fonts of the app's own origin, and no scripts.
///
/// ```swift
/// struct Pages: SignInPages {
///     func html(for page: SignInPage) -> String {
///         switch page.content {
///         case .signedOut: "<!doctype html><title>Bye</title><p>You are signed out.</p>"
///         default: StandardPages().html(for: page)
///         }
///     }
/// }
/// ```
public protocol SignInPages: Sendable {
    /// Returns the whole page as HTML.
    ///
    /// Escape every text that you put into it.
    func html(for page: SignInPage) -> String
}
