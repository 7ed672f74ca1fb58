extension SessionManager {
    /// How a manager behaves.
    public struct Configuration: Sendable {
        /// How long a buyer has to finish a login, by default 10 minutes.
        public var attemptLifetime: Duration = .seconds(600)
        /// How long a session is kept after its last refresh, by default 90 days; after that it is unknown to every call.
        public var sessionRetention: Duration = .seconds(90 * 86_400)
        /// How long a session may last since the buyer signed in, however often it is refreshed; by default nil for any time.
        ///
        /// After that it is unknown to every call, and the buyer has to sign in again. 30 days are a good value for a shop
        /// (NIST SP 800-63B section 4.1.3). Guests' sessions have no sign-in and are not limited by it.
        public var maximumSessionLifetime: Duration?
        /// The share of a token's lifetime after which it is refreshed behind the caller's back, by default 0.8; sessions are spread by
        /// a twentieth to both sides of it.
        public var earlyRefresh: Double = 0.8
        /// How many sessions' credentials are kept in memory for ``cacheLifetime``, by default none.
        ///
        /// A credential takes some 2 KB. With it, a call for a busy session costs no read of the store.
        public var cachedSessions = 0
        /// How long a credential is served from memory, by default 5 seconds: so late this process may hear of a logout in another.
        public var cacheLifetime: Duration = .seconds(5)
        /// How many refreshes at a time, and how long a provider that fails is left alone.
        public var refreshLimits = RefreshLimits()
        /// How long to wait for another process that refreshes the same session, by default 15 seconds.
        public var lockWait: Duration = .seconds(15)
        /// The pause between two repairs of ``SessionManager/maintain(sweepingEvery:)``, by default 5 seconds.
        ///
        /// All processes that share a store need the same value: a process leaves the claim of another one alone for so long that the
        /// other can repair its session once.
        public var repairInterval: Duration = .seconds(5)
        /// How long a claim is left alone whose holder lost its lock.
        ///
        /// By default the provider's timeout, the time for saving and one repair interval. For tests whose clock goes faster than the
        /// time that requests take.
        package var claimWait: Duration?
        /// Whether a logout also has the tokens revoked where the provider takes them back (RFC 7009), by default true.
        public var revokesTokens = true
        /// How long a logout waits for the revocation, by default 5 seconds.
        public var revocationTimeout: Duration = .seconds(5)
        /// Where a browser may be sent after a login or logout, by default to paths of this app only.
        public var returnPaths = ReturnPathPolicy.pathsOnly
        /// The only tenant that the manager knows, by default nil for all: to it sessions and providers of others do not exist.
        public var tenant: String?

        /// The defaults.
        public init() {}
    }

    /// What is asked of one provider at most; every provider of a manager, and so every shop, has limits of its own.
    public struct RefreshLimits: Sendable {
        /// How many sessions are refreshed at the same time, by default 64.
        public var concurrent = 64
        /// How many more may wait for that, by default 4,096; beyond that a refresh fails as ``IdentityError/Code/renewalBusy``.
        public var waiting = 4_096
        /// After how many failures in a row the provider is not asked for a while, by default 5.
        public var failures = 5
        /// The longest pause after the first such series, by default 1 second; it doubles with each failed probe, and is random below
        /// that, so that processes do not come back together.
        public var pause: Duration = .seconds(1)
        /// The longest pause of all, by default 60 seconds, also where the provider asks for more (`Retry-After`).
        public var maximumPause: Duration = .seconds(60)
        /// How long anybody waits for one refresh, by default 90 seconds, which is more than the SDK's own providers take.
        ///
        /// A provider that never answers costs its callers this long; the refresh itself goes on.
        public var patience: Duration = .seconds(90)

        /// The defaults.
        public init() {}
    }
}
