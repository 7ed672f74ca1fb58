internal import IdentityHTTP
public import IdentityKit

extension SignInRoutes {
    /// The configuration of the routes.
    public struct Configuration: Sendable {
        /// The origin under which browsers reach the app, such as `https://shop.example`, also behind a proxy that ends TLS.
        ///
        /// The routes use the origin for redirect URIs, cookies and the check for forged requests. Plain http needs a loopback address.
        public var publicOrigin: String
        /// The path of the routes, by default `/auth`.
        public var basePath = "/auth"
        /// The home page: a path of the app or an https URL, by default `/`.
        ///
        /// After a sign-in, the browser goes to this page unless the link or the app names another page. Some pages of the routes link to
        /// the home page.
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
        /// A further login removes the cookie of a completed login. If all logins are open, the further login removes the cookie of the
        /// login that expires first, and the browser can no longer complete that login.
        public var maximumOpenLogins = 6
        /// The limit of logins that one client address may begin.
        public var loginLimit = LoginLimit()
        /// The pages that buyers see, by default ``StandardPages``.
        public var pages: any SignInPages = StandardPages()
        /// The options of every login, for example its scopes.
        ///
        /// The routes replace `returnPath` for each login. Other options can be replaced by the link that begins the login
        /// (``linkParameters``), by a provider that begins it (``thirdPartyLogins``), and by the requirement of a page
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
        /// How many sessions one buyer may have; a new sign-in ends the oldest sessions above this number.
        ///
        /// No limit by default. The tokens of the ended sessions are removed, but not revoked: at many providers, all sessions of a buyer
        /// share one grant, and a revocation would also invalidate the tokens of the new session.
        public var maximumSessions: Int?
        /// The details of the browser that the SDK records for events of sign-ins and for the buyer's list of sign-ins; none by default.
        ///
        /// The client address and `User-Agent` are personal data: you need a legal basis to record them, and must name them in the shop's
        /// privacy policy.
        public var recordedBrowserDetails: Set<BrowserDetail> = []
        /// The app's decision whether a verified buyer gets a session, for example to refuse a blocked customer; by default, all do.
        public var admit: @Sendable (SignIn) async throws -> SignInDecision = { _ in .accept }

        /// Creates a configuration with the default values for an origin.
        public init(publicOrigin: String) {
            self.publicOrigin = publicOrigin
        }

        /// Checks the members that ``SignInCookies`` and ``RouteTable`` do not check.
        func check(providers: [String]) throws(IdentityError) {
            let limits = [
                ("maximumOpenLogins", maximumOpenLogins > 0), ("loginLimit.burst", loginLimit.burst > 0),
                ("loginLimit.interval", loginLimit.interval > .zero),
                ("loginLimit.maximumAddresses", loginLimit.maximumAddresses > 0),
                ("maximumSessions", maximumSessions ?? 1 > 0),
                // A lifetime of less than a second would become `Max-Age=0`, and the browser would remove the cookie at once.
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
                    configuration: "`homePath` of the routes is not a valid path or https URL.",
                    hint: """
                        Set homePath to a path such as /, or to an https URL. A path has at most 2048 bytes, and no empty segments, \
                        escaped slashes or control characters. Escape a space or a letter like ä.
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

    /// The limit of logins that one client address may begin, as a token bucket.
    public struct LoginLimit: Sendable {
        /// How many logins may begin at once: at least 1, by default 20; a value above one million counts as one million.
        public var burst = 20
        /// The time after which one more login may begin: greater than 0, by default 6 seconds; a value above one day counts as one day.
        public var interval: Duration = .seconds(6)
        /// The maximum number of buckets in memory, by default 10,000, at least 1.
        ///
        /// Each IPv4 address has one bucket, and so has each /64 and /48 prefix of IPv6. If the maximum is reached, buckets are removed,
        /// and the limit for their addresses starts again.
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
    /// The routes do not check the page. If it came with a request, check it with `ReturnPathPolicy`.
    case acceptAndGo(to: String)
    /// The buyer gets no session and sees the page ``SignInPage/Content/signInRefused``.
    ///
    /// The new tokens are revoked if the provider and `SessionManager.Configuration.revokesTokens` permit it. The tokens of a step-up are
    /// not revoked, and the old session stays.
    case refuse
}
