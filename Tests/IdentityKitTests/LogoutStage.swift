import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

/// An in-memory provider with a logout page.
final class LogoutProvider: WrappingProvider, LogoutStateSupporting, BackChannelLogoutSupporting, TokenRevoking {
    private struct State {
        var notices: [String: LogoutTokenClaims] = [:]
        var isDown = false
        var nameAtRefresh: String?
        var issuerAtRefresh: String?
        var revoked: [String] = []
        var onRevocation: (@Sendable (TokenSet) async throws -> Void)?
        var configuredReturn: String?
        var returns: [String] = []
    }

    let inner: StrictProvider
    private let equivalentIssuers: [String]
    private let state = Mutex(State())
    var descriptor: ProviderDescriptor {
        var descriptor = inner.descriptor
        descriptor.equivalentIssuers = equivalentIssuers
        descriptor.postLogoutRedirectURI = state.withLock { $0.configuredReturn }
        return descriptor
    }
    /// The return addresses of all logouts with a `state`.
    var returns: [String] { state.withLock { $0.returns } }
    func configureReturn(_ address: String) { state.withLock { $0.configuredReturn = address } }

    init(clock: ManualClock, name: String = "leaving", tenant: String = "", equivalentIssuers: [String] = []) {
        self.equivalentIssuers = equivalentIssuers
        inner = StrictProvider(clock: clock, name: name, tenant: tenant)
    }

    func refresh(_ tokens: TokenSet) async throws -> TokenSet {
        var refreshed = try await inner.refresh(tokens)
        let (name, issuer) = state.withLock { ($0.nameAtRefresh, $0.issuerAtRefresh) }
        refreshed.providerSessionID = name ?? tokens.providerSessionID
        refreshed.buyer.issuer = issuer ?? refreshed.buyer.issuer
        return refreshed
    }

    /// From now on, refreshes return this sid.
    func setNameAtRefresh(_ name: String) { state.withLock { $0.nameAtRefresh = name } }
    /// From now on, refreshes return this issuer.
    func setIssuerAtRefresh(_ issuer: String) { state.withLock { $0.issuerAtRefresh = issuer } }
    func logoutURL(for tokens: TokenSet, returningTo uri: String, state: Secret) async throws -> HTTPURL? {
        self.state.withLock { $0.returns.append(uri) }
        return try HTTPURL("https://id.example/logout?state=\(state.reveal())")
    }

    func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }

    /// Creates a logout token with these claims, which the provider accepts.
    func announce(
        issuer: String = "https://id.example",
        subject: String? = "buyer-1",
        session: String? = nil,
        jti: String? = nil
    ) -> String {
        state.withLock { state in
            let name = "token-\(state.notices.count)"
            state.notices[name] = LogoutTokenClaims(
                issuer: issuer,
                subject: subject,
                providerSessionID: session,
                tokenID: jti ?? name,
                expiresAt: inner.clock.now + 180
            )
            return name
        }
    }

    func validate(logoutToken: Secret) async throws -> LogoutTokenClaims {
        let (notice, isDown) = state.withLock { ($0.notices[logoutToken.reveal()], $0.isDown) }
        if isDown { throw IdentityError(.retryLater, .providerUnavailable, "No keys.") }
        guard let notice else { throw IdentityError(.rejected, .idTokenSignature, "Forged.") }
        return notice
    }

    var revoked: [String] { state.withLock { $0.revoked } }

    func onRevocation(_ body: (@Sendable (TokenSet) async throws -> Void)?) {
        state.withLock { $0.onRevocation = body }
    }

    func revoke(_ tokens: TokenSet) async throws -> Bool {
        let body = state.withLock { state in
            state.revoked.append(tokens.refreshToken?.reveal() ?? "")
            return state.onRevocation
        }
        try await body?(tokens)
        return true
    }
}

/// A manual clock on which short sleeps advance the time and return immediately.
private struct SleepSkippingClock: IdentityClock {
    let manual: ManualClock
    let skippedSleep: Duration
    var now: Date { manual.now }
    var elapsed: Duration { manual.elapsed }

    func sleep(for duration: Duration) async throws {
        guard duration < skippedSleep else { return try await manual.sleep(for: duration) }
        manual.advance(by: duration)
    }
}

/// A store whose operations fail as a test chooses.
final class FailingStore: WrappingStore, UsedTokenStore, PartialSessionListing {
    enum Operation: Hashable {
        case insertAttempt, insertSession, list, remove, isUsed, markUsed
        /// `markUsed` records the token, and then throws an error.
        case afterMarkUsed
    }

    let inner = InMemoryStore()
    private let broken = Mutex<Set<Operation>>([])
    private let stuck = Mutex<SessionID?>(nil)
    private let unreadable = Mutex<SessionID?>(nil)
    private let replacements = Mutex<Int?>(nil)
    private let beforeRemoval = Mutex<(@Sendable () async -> Void)?>(nil)
    private let meeting = Mutex<(expected: Int, come: Int)>((0, 0))

    func setBroken(_ operations: Operation...) { broken.withLock { $0 = Set(operations) } }

    /// Makes the removal of this session fail.
    func setStuck(_ id: SessionID?) { stuck.withLock { $0 = id } }

    /// Runs an action before the next removal.
    func holdRemoval(_ body: @escaping @Sendable () async -> Void) { beforeRemoval.withLock { $0 = body } }

    /// Makes lists report this session as damaged.
    func setUnreadable(_ id: SessionID?) { unreadable.withLock { $0 = id } }

    func readableSessions(matching filter: SessionFilter) async throws -> SessionListing {
        var listing = SessionListing(sessions: try await sessions(matching: filter))
        let hidden = unreadable.withLock { $0 }
        guard listing.sessions.contains(where: { $0.id == hidden }) else { return listing }
        listing.sessions.removeAll { $0.id == hidden }
        listing.damage = IdentityError(.configuration, .storeCorrupt, "Damaged.")
        return listing
    }

    private func check(_ operation: Operation) throws {
        guard !broken.withLock({ $0.contains(operation) }) else {
            throw IdentityError(.retryLater, .storeBusy, "Busy.")
        }
    }

    /// The next `count` replacements of sessions succeed, and all later ones fail.
    func setReplacements(failingAfter count: Int) { replacements.withLock { $0 = count } }

    func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool {
        let isBroken = replacements.withLock { left in
            defer { left = left.map { max($0 - 1, 0) } }
            return left == 0
        }
        if isBroken { throw IdentityError(.retryLater, .storeBusy, "Busy.") }
        return try await inner.replace(session, expecting: generation)
    }
    func remove(_ id: SessionID) async throws -> RemovedSession? {
        try check(.remove)
        guard stuck.withLock({ $0 }) != id else { throw IdentityError(.retryLater, .storeBusy, "Busy.") }
        let step = beforeRemoval.withLock { step in
            defer { step = nil }
            return step
        }
        await step?()
        return try await inner.remove(id)
    }
    func sessions(matching filter: SessionFilter) async throws -> [StoredSession] {
        // A list without a provider never fails, because tests inspect the store with it.
        if filter.provider != nil { try check(.list) }
        return try await inner.sessions(matching: filter)
    }
    /// Makes each caller of `isUsed` wait until `count` callers have called it.
    func setMeeting(of count: Int) { meeting.withLock { $0 = (count, 0) } }

    func isUsed(_ key: String) async throws -> Bool {
        try check(.isUsed)
        let isUsed = try await inner.isUsed(key)
        meeting.withLock { $0.come += 1 }
        while meeting.withLock({ $0.come < $0.expected }) { await Task.yield() }
        return isUsed
    }
    func markUsed(_ key: String, until expiry: Date) async throws -> Bool {
        try check(.markUsed)
        let isFirst = try await inner.markUsed(key, until: expiry)
        try check(.afterMarkUsed)
        return isFirst
    }
    func insert(_ session: StoredSession) async throws {
        try check(.insertSession)
        try await inner.insert(session)
    }
    func insert(_ attempt: StoredLoginAttempt) async throws {
        try check(.insertAttempt)
        try await inner.insert(attempt)
    }
}

/// A store that keeps sessions but does not record used tokens.
struct StoreWithoutUsedTokens: WrappingStore {
    let inner: InMemoryStore
}

/// A session manager with two `LogoutProvider`s and a `StrictProvider`.
struct LogoutStage {
    let clock: ManualClock
    let store = FailingStore()
    let provider: LogoutProvider
    let other: LogoutProvider
    let manager: SessionManager
    private let make: @Sendable (any SessionStore) throws -> SessionManager

    /// The default configuration with a longer wait for carts, because a busy machine may run their work late.
    static var patient: SessionManager.Configuration {
        var configuration = SessionManager.Configuration()
        configuration.participantWait = .seconds(60)
        return configuration
    }

    /// Sleeps that are shorter than `skippedSleep` return immediately.
    ///
    /// The issuers in `equivalentIssuers` count as one issuer at the first provider, and those in `othersEquivalentIssuers` at the other
    /// provider; nil uses the issuers of the first provider.
    init(
        configuration: SessionManager.Configuration = LogoutStage.patient,
        skippedSleep: Duration = .zero,
        equivalentIssuers: [String] = [],
        othersEquivalentIssuers: [String]? = nil,
        observers: [any IdentityObserver] = []
    ) throws {
        let clock = ManualClock()
        let provider = LogoutProvider(clock: clock, equivalentIssuers: equivalentIssuers)
        let other = LogoutProvider(
            clock: clock,
            name: "other",
            equivalentIssuers: othersEquivalentIssuers ?? equivalentIssuers
        )
        make = { store in
            SessionManager(
                providers: try ProviderRegistry([provider, other, StrictProvider(clock: clock)]),
                store: store,
                environment: IdentityEnvironment(
                    transport: NoNetwork(),
                    clock: SleepSkippingClock(manual: clock, skippedSleep: skippedSleep)
                ),
                configuration: configuration,
                observers: observers
            )
        }
        self.clock = clock
        self.provider = provider
        self.other = other
        manager = try make(store)
    }

    /// Another manager with the same providers, as in another process or over another store.
    func manager(over store: any SessionStore) throws -> SessionManager {
        try make(store)
    }

    func signIn(
        _ subject: String = "buyer-1",
        provider name: String = "leaving",
        issuer: String = "https://id.example",
        session: String? = nil
    ) async throws -> SessionID {
        var tokens = provider.inner.mint(Buyer(issuer: issuer, subject: subject))
        tokens.providerSessionID = session
        return try await manager.establish(tokens, provider: name).id
    }
}
