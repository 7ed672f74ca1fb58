internal import IdentityHTTP
public import IdentityKit

extension SignInRoutes {
    /// How the routes behave.
    public struct Configuration: Sendable {
        /// The origin under which browsers reach the app, such as `https://shop.example`, also behind a proxy that ends TLS.
        ///
        /// Redirect URIs, cookies and the check for forged requests are derived from it. Plain http is permitted for loopback addresses
        /// only.
        public var publicOrigin: String
        /// The path of the routes, by default `/auth`.
        public var basePath = "/auth"
        /// The page after a sign-in if neither the link nor the app names another, and the link on the routes' own pages.
        ///
        /// A path of the app or an https URL; by default `/`.
        public var homePath = "/"
        /// The part of each cookie's name before `-session`, `-guest`, `-login-…` and `-logout`; by default `identity`.
        ///
        /// Two apps on different ports of one host need different names, because a browser sends a cookie to every port of its host. A name
        /// that begins with two underscores is refused.
        public var cookieName = "identity"
        /// How long a browser keeps the cookie of a session, by default 90 days; nil: until the browser is closed.
        public var sessionCookieLifetime: Duration? = .seconds(90 * 86_400)
        /// How long a browser keeps the cookie of a guest, by default 30 days.
        public var guestLifetime: Duration = .seconds(30 * 86_400)
        /// How many logins one browser may have open at the same time, for example in several tabs; by default 6, at least 1.
        ///
        /// A further login removes the cookie of a completed login. Without a completed login, it removes the cookie of the open login that
        /// expires first, which then cannot be completed.
        public var maximumOpenLogins = 6
        /// How many logins one client address may begin.
        public var loginLimit = LoginLimit()
        /// The pages for buyers.
        public var pages: any SignInPages = StandardPages()
        /// The options of every login, for example its scopes.
        ///
        /// The routes replace `returnPath` for each login. Three sources can replace further values: a link (``linkParameters``), a
        /// provider that begins a sign-in (``thirdPartyLogins``), and a page's requirement
        /// (``WebContext/requireSession(maxAge:acr:)``).
        public var loginOptions = LoginOptions()
        /// The query parameters of the route `login/{provider}` that a link may set, none by default.
        public var linkParameters: Set<LinkParameter> = []
        /// Whether the provider's logout page sends the browser back to `logout/done`, by default true.
        ///
        /// The address of this route has to be registered at the provider as post-logout redirect URI.
        public var returnsFromLogout = true
        /// Whether a sign-out asks the browser to delete the app's cache and storage (`Clear-Site-Data`), by default false.
        public var clearsSiteData = false
        /// The providers that may begin a sign-in themselves (OpenID Connect Core section 4); none by default.
        ///
        /// A key is the provider's issuer, a value the provider's name in the configuration.
        public var thirdPartyLogins: [String: String] = [:]
        /// How many sessions one buyer may have; a new sign-in ends the oldest ones.
        ///
        /// No limit by default. The tokens of the ended sessions are removed, but not revoked, because many providers keep one grant for a
        /// buyer and a client, and a revocation would invalidate the tokens of the new session too.
        public var maximumSessions: Int?
        /// The details of the browser that the events of sign-ins and the buyer's list of sign-ins contain; none by default.
        ///
        /// The client address and `User-Agent` are personal data: they need a legal basis, and a place in the shop's privacy policy.
        public var recordedBrowserDetails: Set<BrowserDetail> = []
        /// Decides about a verified buyer before a session is stored, for example refuses a blocked customer.
        ///
        /// Accepts everybody by default.
        public var admit: @Sendable (SignIn) async throws -> SignInDecision = { _ in .accept }

        /// Creates a configuration with the default values for an origin.
        public init(publicOrigin: String) {
            self.publicOrigin = publicOrigin
        }

        /// Checks the members that neither ``SignInCookies`` nor ``RouteTable`` checks.
        func check(providers: [String]) throws(IdentityError) {
            let limits = [
                ("maximumOpenLogins", maximumOpenLogins > 0), ("loginLimit.burst", loginLimit.burst > 0),
                ("loginLimit.interval", loginLimit.interval > .zero),
                ("loginLimit.maximumAddresses", loginLimit.maximumAddresses > 0),
                ("maximumSessions", maximumSessions ?? 1 > 0),
                // A lifetime of less than a second would become `Max-Age=0`, with which a browser removes the cookie.
                ("sessionCookieLifetime", sessionCookieLifetime ?? .seconds(1) >= .seconds(1)),
                ("guestLifetime", guestLifetime >= .seconds(1)),
            ]
            for (name, isValid) in limits where !isValid {
                let bound = name.hasSuffix("Lifetime") ? "at least one second" : "greater than 0"
                throw IdentityError(
                    configuration: "`\(name)` of the routes must be \(bound).",
                    hint: "Correct the value in the configuration of the routes, or remove it to keep the default."
                )
            }
            guard
                (try? ReturnPathPolicy.pathsOnly.location(for: homePath)) != nil
                    || (try? HTTPURL(homePath))?.isSecure == true
            else {
                throw IdentityError(
                    configuration:
                        "`homePath` of the routes is neither a path that the routes accept nor an https URL.",
                    hint: """
                        Set homePath to a path that begins with one slash, for example /, or to an https URL. A path has at most 2048 \
                        bytes, and no empty segments, escaped slashes or control characters.
                        """
                )
            }
            for name in thirdPartyLogins.values where !providers.contains(where: { $0.isIdentical(to: name) }) {
                throw IdentityError(
                    configuration:
                        "`thirdPartyLogins` of the routes names the provider \(name), which is not configured.",
                    hint:
                        "Use the name of a configured provider (\(providers.joined(separator: ", "))), or remove the entry from "
                        + "thirdPartyLogins."
                )
            }
        }
    }

    /// The limit of begun logins for each client address, a token bucket.
    public struct LoginLimit: Sendable {
        /// How many logins may begin at once, by default 20, at least 1.
        ///
        /// A value above one million counts as one million.
        public var burst = 20
        /// The time after which one more login may begin, by default 6 seconds; greater than 0.
        ///
        /// A value above one day counts as one day.
        public var interval: Duration = .seconds(6)
        /// The maximum number of entries, by default 10,000, at least 1: one for each IPv4 address, and for IPv6 one for each /64 and /48.
        ///
        /// If the table is full, entries are removed, and the limit for their addresses starts again.
        public var maximumAddresses = 10_000

        /// Creates a limit with the default values.
        public init() {}
    }

    /// A detail about the browser that ``Configuration/recordedBrowserDetails`` can permit.
    public enum BrowserDetail: String, Sendable {
        /// ``WebRequest/clientAddress``.
        case address
        /// The header `User-Agent`.
        case userAgent = "user_agent"
    }

    /// A query parameter of the route `login/{provider}`.
    public enum LinkParameter: String, Sendable {
        /// The language of the login page.
        case locale
        /// The e-mail address to prefill.
        case loginHint = "login_hint"
    }
}

/// A verified sign-in for which no session is stored yet.
public struct SignIn: Sendable {
    /// The provider's name.
    public let provider: String
    /// Who signs in.
    public let buyer: Buyer
    /// The page to which the browser goes after the sign-in; nil for the home page.
    public let returnPath: String?
    /// The address of the client, from ``WebRequest/clientAddress``.
    public let clientAddress: String?

    /// Creates a sign-in, for an app's own tests.
    public init(provider: String, buyer: Buyer, returnPath: String? = nil, clientAddress: String? = nil) {
        self.provider = provider
        self.buyer = buyer
        self.returnPath = returnPath
        self.clientAddress = clientAddress
    }
}

extension SignIn: Redacted {
    /// The provider, without personal data.
    public var description: String { "SignIn(provider: \(provider), <private>)" }
}

/// The decision of an app about a sign-in.
public enum SignInDecision: Sendable {
    /// The buyer gets a session.
    case accept
    /// The buyer gets a session, and the browser goes to this page of the app.
    ///
    /// The policy for return paths is not applied to it. Check a location that came with a request (`ReturnPathPolicy`).
    case acceptAndGo(to: String)
    /// The buyer gets no session and sees the page ``SignInPage/Content/signInRefused``.
    ///
    /// The tokens are revoked if the provider supports it, except after a step-up, whose buyer keeps the old session.
    case refuse
}
