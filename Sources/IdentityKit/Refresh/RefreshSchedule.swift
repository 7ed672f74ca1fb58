internal import FoundationEssentials

/// Decides when a session's tokens are due for a refresh.
final class RefreshSchedule: Sendable {
    /// What must happen before tokens are returned.
    enum Need: Sendable {
        /// Nothing: they are valid for the requested time. They are due only after `untilDue`.
        case none(untilDue: Duration)
        /// They are valid for the requested time and old enough for a background refresh.
        case early
        /// They must be refreshed first.
        case now
    }

    /// How long tokens must be valid if the caller requests no time.
    static let usualValidity = Duration.seconds(60)

    private let earlyRefresh: Double
    private let ages: TokenAges

    init(_ configuration: SessionManager.Configuration, clock: any IdentityClock) {
        earlyRefresh = configuration.earlyRefresh
        ages = TokenAges(clock)
    }

    /// Decides what must happen before a session's tokens are returned.
    ///
    /// - Parameters:
    ///   - tokens: The tokens.
    ///   - id: The session.
    ///   - remaining: How long they are still valid.
    ///   - asked: How long they must be valid; nil for ``usualValidity``, or a quarter of their lifetime if that is less.
    /// - Returns: What must happen.
    func need(for tokens: TokenSet, of id: SessionID, remaining: Duration, validFor asked: Duration?) -> Need {
        guard isGood(tokens, id, remaining, for: asked) else { return .now }
        let untilDue = remaining - remainingWhenDue(tokens, id)
        return untilDue < .zero ? .early : .none(untilDue: untilDue)
    }

    /// How long a session's tokens are still valid, zero or less if they have expired; nil if the provider did not state
    /// an expiry.
    func remaining(_ tokens: TokenSet, of id: SessionID) -> Duration? { ages.remaining(tokens, of: id) }

    func hasExpired(_ tokens: TokenSet, of id: SessionID) -> Bool { ages.hasExpired(tokens, of: id) }

    /// Records that a refresh has just returned tokens.
    func noteRefreshed(_ tokens: TokenSet, of id: SessionID) { ages.noteRefreshed(tokens, of: id) }

    /// Whether a refresh of this process has just returned the tokens, so that another one would not return tokens that
    /// are valid longer.
    func isJustRefreshed(_ tokens: TokenSet, of id: SessionID) -> Bool { ages.isJustRefreshed(tokens, of: id) }

    private func isGood(_ tokens: TokenSet, _ id: SessionID, _ remaining: Duration, for asked: Duration?) -> Bool {
        guard remaining > .zero, let expiresAt = tokens.expiresAt else { return false }
        let lifetime = TokenAges.duration(expiresAt.timeIntervalSince(tokens.issuedAt))
        guard let asked else { return remaining >= min(Self.usualValidity, lifetime / 4) }
        // No token of this provider is valid that long, so a refresh at every call would not help.
        return remaining >= asked || (asked >= lifetime && ages.isJustRefreshed(tokens, of: id))
    }

    /// The remaining validity at which a token is refreshed early.
    ///
    /// It differs between sessions by a hash, so that they are not all refreshed at once.
    ///
    /// - Returns: A negative time for a token that cannot be refreshed, which is never due.
    private func remainingWhenDue(_ tokens: TokenSet, _ id: SessionID) -> Duration {
        guard tokens.refreshToken != nil, let expiresAt = tokens.expiresAt else { return .seconds(-1) }
        let lifetime = TokenAges.duration(expiresAt.timeIntervalSince(tokens.issuedAt))
        let spread = id.rawValue.utf8.reduce(into: UInt32(0)) { $0 = $0 &* 31 &+ UInt32($1) } % 100
        let share = min(earlyRefresh - 0.05 + Double(spread) / 1000, 0.98)
        return lifetime > .zero ? lifetime * (1 - share) : .seconds(-1)
    }
}
