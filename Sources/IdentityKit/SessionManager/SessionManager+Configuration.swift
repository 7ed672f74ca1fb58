extension SessionManager {
    /// The configuration of a session manager.
    public struct Configuration: Sendable {
        /// The time limit for a login with a redirect, and for the browser's return from a provider's logout page; by default 10 minutes.
        ///
        /// The limit does not apply to a device login, which ends when its code expires. The limit is also the default `max_age` of a
        /// step-up that demands a login. ``StepUpRequirement/maximumAge`` and ``LoginOptions/maximumAge`` replace this default.
        public var attemptLifetime: Duration = .seconds(600)
        /// How long a session is kept after the sign-in or its last refresh, by default 90 days.
        ///
        /// After this time, every call treats the session as unknown. Guests' sessions have a separate time:
        /// ``SessionManager/beginGuest(retainedFor:)``.
        public var sessionRetention: Duration = .seconds(90 * 86_400)
        /// The longest time from the sign-in to the end of a session, even if the session is refreshed; by default nil: no limit.
        ///
        /// After this time, every call treats the session as unknown, and the buyer has to sign in again. 30 days are a good value for a
        /// shop (NIST SP 800-63B-4 section 2.1.3). The limit does not apply to guests' sessions.
        public var maximumSessionLifetime: Duration?
        /// The share of an access token's lifetime after which a call for the token also starts a background refresh, by default 0.8.
        ///
        /// The share varies by ±0.05 between sessions (0.75 to 0.85 by default), so that not all sessions are refreshed at once.
        public var earlyRefresh: Double = 0.8
        /// The maximum number of sessions whose tokens are kept in memory for ``cacheLifetime``, by default 0: no cache.
        ///
        /// While the tokens in memory are valid long enough for a call, the call does not read the store. Each session needs about 2 KB.
        public var cachedSessions = 0
        /// How long a session's tokens are returned from memory if ``cachedSessions`` is above 0, by default 5 seconds.
        ///
        /// If another process or another manager ends the session, this manager may return the session's tokens for up to this time.
        public var cacheLifetime: Duration = .seconds(5)
        /// The limits of the refreshes at each provider.
        public var refreshLimits = RefreshLimits()
        /// How long a refresh waits while another process holds the session's lock, by default 15 seconds.
        ///
        /// If the other process has lost the lock but may still save the provider's response, a call that needs new tokens waits longer.
        public var lockWait: Duration = .seconds(15)
        /// The pause between two repairs of ``SessionManager/maintain(sweepingEvery:)``, by default 5 seconds.
        ///
        /// All processes that share a store need the same value: a process that waits for the unfinished refresh of another process allows
        /// one repair interval for the save of the provider's response.
        public var repairInterval: Duration = .seconds(5)
        /// How long a process waits before it takes over the unfinished refresh of another process that lost the session's lock.
        ///
        /// If the value is nil, the time is the sum of the provider's timeout, the time for saving and one repair interval. Only tests set
        /// a value, because their clock runs faster than real requests.
        package var claimWait: Duration?
        /// Whether a logout revokes the session's tokens if the provider supports it (RFC 7009), by default true.
        ///
        /// The setting also applies to new tokens that no session keeps. For example, a login failed after its token response was
        /// validated, or a refresh or repair found that the session has ended or was removed. If the token response of a login is not
        /// valid, its tokens are revoked even if this setting is false.
        public var revokesTokens = true
        /// The time limit for each revocation that ``revokesTokens`` can switch off, by default 5 seconds.
        public var revocationTimeout: Duration = .seconds(5)
        /// How long a logout waits for participants, and a web request for the buyer's cart; by default 5 seconds.
        ///
        /// Work that takes longer continues in the background. ``SessionManager/drain()`` waits for this work.
        public var participantWait: Duration = .seconds(5)
        /// The pages to which a browser may be sent after a login or logout, by default paths of this app only.
        public var returnPaths = ReturnPathPolicy.pathsOnly
        /// The shortest time after which a session's last use is stored again (``SessionManager/noteUse(of:)``), by default 15 minutes.
        ///
        /// If the value is nil, the time of the last use is not stored.
        public var useInterval: Duration? = .seconds(900)
        /// The only tenant that the manager serves, by default nil for all.
        ///
        /// The manager treats sessions and providers of other tenants as unknown.
        public var tenant: String?

        /// Creates a configuration with the default values.
        public init() {}
    }

    /// The limits of the refreshes that one manager sends to one provider; each provider has separate limits.
    public struct RefreshLimits: Sendable {
        /// The maximum number of sessions that are refreshed at the same time, by default 64.
        public var concurrent = 64
        /// The maximum number of refreshes that wait because ``concurrent`` others run, by default 4,096.
        ///
        /// A further refresh fails with code ``IdentityError/Code/refreshBusy``.
        public var waiting = 4_096
        /// The number of sessions whose refreshes fail in a row before all refreshes at the provider are paused, by default 5.
        ///
        /// The count starts again after a refresh to which the provider responds, for example with tokens or with `invalid_grant`.
        public var failures = 5
        /// The upper bound of the first pause, by default 1 second.
        ///
        /// After a pause, one refresh is sent as a probe. If the probe fails, the next pause has twice the upper bound. A pause that the
        /// provider did not request is a random part of its upper bound, so that processes do not all continue at the same time.
        public var pause: Duration = .seconds(1)
        /// The longest pause, by default 60 seconds, even if the provider requests a longer one (`Retry-After`).
        public var maximumPause: Duration = .seconds(60)
        /// How long callers wait for one refresh, by default 90 seconds, which is longer than a refresh at the SDK's own providers takes.
        ///
        /// After this time, the callers get the old tokens, or an error if the old tokens have expired.
        /// ``SessionManager/refreshTokens(for:)`` throws the error in both cases. The refresh continues.
        public var maximumWait: Duration = .seconds(90)

        /// Creates limits with the default values.
        public init() {}
    }
}
