internal import FoundationEssentials

/// Decides when a session's tokens are due for a refresh.
final class RefreshSchedule: Sendable {
    /// What to do about tokens before they are handed out.
    enum Need: Sendable {
        /// Nothing: they are good for as long as asked, and not due before this time.
        case none(untilDue: Duration)
        /// They are good for as long as asked, and old enough to be refreshed in the background.
        case early
        /// They have to be refreshed first.
        case now
    }

    /// For how long tokens have to be good where the caller does not say.
    static let usualValidity = Duration.seconds(60)

    private let earlyRefresh: Double
    private let ages: TokenAges

    init(_ configuration: SessionManager.Configuration, clock: any IdentityClock) {
        earlyRefresh = configuration.earlyRefresh
        ages = TokenAges(clock)
    }

    /// What has to be done before a session's tokens are handed out.
    ///
    /// - Parameters:
    ///   - tokens: The tokens.
    ///   - id: The session.
    ///   - remaining: How long they are good for.
    ///   - asked: How long they should be good for; nil for ``usualValidity``, or a quarter of their life where that is less.
    /// - Returns: What has to be done.
    func need(for tokens: TokenSet, of id: SessionID, remaining: Duration, validFor asked: Duration?) -> Need {
        guard isGood(tokens, id, remaining, for: asked) else { return .now }
        let untilDue = remaining - remainingWhenDue(tokens, id)
        return untilDue < .zero ? .early : .none(untilDue: untilDue)
    }

    /// How long a session's tokens are good for, zero or less when they have expired; nil when the provider did not say.
    func remaining(_ tokens: TokenSet, of id: SessionID) -> Duration? { ages.remaining(tokens, of: id) }

    func hasExpired(_ tokens: TokenSet, of id: SessionID) -> Bool { ages.hasExpired(tokens, of: id) }

    /// Notes that a refresh has just brought tokens.
    func refreshed(_ tokens: TokenSet, of id: SessionID) { ages.refreshed(tokens, of: id) }

    /// Whether a refresh of this process brought the tokens a moment ago, so that another one would bring none that last longer.
    func isFresh(_ tokens: TokenSet, of id: SessionID) -> Bool { ages.isFresh(tokens, of: id) }

    private func isGood(_ tokens: TokenSet, _ id: SessionID, _ remaining: Duration, for asked: Duration?) -> Bool {
        guard remaining > .zero, let expiresAt = tokens.expiresAt else { return false }
        let lifetime = TokenAges.duration(expiresAt.timeIntervalSince(tokens.issuedAt))
        guard let asked else { return remaining >= min(Self.usualValidity, lifetime / 4) }
        // No token of this provider lasts that long: another refresh at every call would not help.
        return remaining >= asked || (asked >= lifetime && ages.isFresh(tokens, of: id))
    }

    /// How long a token still lives when it is old enough to be refreshed early; sessions differ by a hash, so that they are not all
    /// refreshed at once.
    ///
    /// - Returns: Less than nothing for a token that cannot be refreshed: it is never due.
    private func remainingWhenDue(_ tokens: TokenSet, _ id: SessionID) -> Duration {
        guard tokens.refreshToken != nil, let expiresAt = tokens.expiresAt else { return .seconds(-1) }
        let lifetime = TokenAges.duration(expiresAt.timeIntervalSince(tokens.issuedAt))
        let spread = id.rawValue.utf8.reduce(into: UInt32(0)) { $0 = $0 &* 31 &+ UInt32($1) } % 100
        let share = min(earlyRefresh - 0.05 + Double(spread) / 1000, 0.98)
        return lifetime > .zero ? lifetime * (1 - share) : .seconds(-1)
    }
}
