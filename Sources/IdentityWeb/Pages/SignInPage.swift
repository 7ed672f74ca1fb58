public import IdentityKit

/// A page of the sign-in, such as the list of providers or an error; an implementation of ``SignInPages`` turns it into HTML.
///
/// The page of an `IdentityError` has no error message, but the correlation id with which the app's support finds the error in the log.
public struct SignInPage: Sendable {
    /// The content of a page.
    public enum Content: Sendable {
        /// The buyer chooses a provider; each choice is a link.
        case chooseProvider([Choice])
        /// The buyer has to sign in again, usually because the session has ended or the login cannot continue.
        ///
        /// A login cannot continue if its return path is forbidden, or if its callback is invalid, late, repeated or without the login's
        /// cookie.
        case signInExpired
        /// The sign-in was refused, or a page of the app threw an error of kind `rejected`.
        case signInRefused
        /// The request may come from another site (cross-site request forgery), or would begin a sign-in in an image, a frame or a script.
        case requestRefused
        /// The buyer or the provider cancelled the sign-in; after a cancelled step-up, the buyer keeps the old session.
        case signInCancelled
        /// A later attempt may succeed: for example, the provider, the store or the shop does not respond, or the request was cancelled.
        case unavailable(retryAfter: Duration?)
        /// Too many sign-ins began from the client's address.
        case tooManySignIns(retryAfter: Duration)
        /// The buyer is signed out.
        case signedOut
        /// The buyer has to confirm the sign-out: the page has a form with one button, which posts these fields to `action`.
        case confirmSignOut(action: String, fields: [(name: String, value: Secret)])
        /// The path belongs to no page or provider, or the route does not have the request's method.
        case notFound
        /// An error of kind `configuration`: a developer must correct the app or its configuration. For example, the provider of the
        /// browser's session is not configured.
        case failed
    }

    /// A provider with which the buyer can sign in.
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
    /// The correlation id of the error, for the app's support; nil on a page that reports no `IdentityError`.
    ///
    /// The event `IdentityEvent.Kind.requestFailed` and the other events of the failed operation contain the same id.
    public let correlationID: String?
    /// The link that begins a new sign-in.
    public let signInLink: String
    /// The link to the app's home page.
    public let homeLink: String

    /// The HTTP status of the response; on the page of an error, `IdentityError.httpStatus`.
    public let status: Int

    /// Creates a page, for a test of an app's own ``SignInPages``; if `status` is nil, `content` determines the status.
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

    /// How long the buyer should wait before a new attempt, the value of `Retry-After`; nil if the buyer need not wait.
    public var retryAfter: Duration? { content.retryAfter }
}

/// Writes the pages of the sign-in; an app implements this protocol to show pages of its own instead of ``StandardPages``.
///
/// The routes add the status and the security headers. Their `Content-Security-Policy` permits inline styles, and style sheets, images and
/// fonts of the app's own origin, but no scripts.
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
    /// Returns the whole page as HTML; escape every text that you put into the HTML.
    func html(for page: SignInPage) -> String
}
