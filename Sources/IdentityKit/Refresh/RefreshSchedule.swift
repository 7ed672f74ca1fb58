internal import FoundationEssentials
internal import Synchronization

/// Decides when a session's tokens are due for a refresh and when they have expired, also after the wall clock was changed.
///
/// When this process first sees valid tokens, it also records their expiry in monotonic time. The earlier of the two expiries counts. So
/// the tokens do not become valid again when the wall clock is set back.
final class RefreshSchedule: Sendable {
    /// The work that a call for tokens causes.
    enum Need: Sendable {
        /// No work: the provider did not state when the tokens expire.
        case unknownExpiry
        /// No work: the tokens are valid for the time `remaining`, and due for a refresh after `untilDue`.
        case later(remaining: Duration, untilDue: Duration)
        /// The tokens are valid long enough, and old enough for a background refresh.
        case early
        /// The tokens must be refreshed before the call returns.
        case now
    }

    private struct Note {
        let issuedAt: Date
        let expiresAt: Date
        let end: Duration
        var refreshedAt: Duration?
    }

    /// Tokens that were issued more than this many seconds in the future count as expired, because a clock was wrong.
    private static let tolerance = 300.0
    private static let freshness = Duration.seconds(30)

    private let earlyRefresh: Double
    private let clock: any IdentityClock
    /// If the full table removes an entry, the next use of the tokens records them again, unless they have expired by the wall clock.
    private let notes = Mutex(BoundedTable<SessionID, Note>(maximum: 50_000))

    init(_ configuration: SessionManager.Configuration, clock: any IdentityClock) {
        earlyRefresh = configuration.earlyRefresh
        self.clock = clock
    }

    /// `validity` is how long the tokens must be valid; nil for ``usualValidity(of:)``.
    func need(for tokens: TokenSet, of id: SessionID, validFor validity: Duration?) -> Need {
        guard let remaining = remaining(tokens, of: id) else { return .unknownExpiry }
        let lifetime = Self.lifetime(of: tokens)
        var isEnough = remaining >= (validity ?? Self.usualValidity(of: tokens))
        // The caller requests at least the tokens' whole lifetime. Even new tokens with this lifetime would not be valid long enough, so
        // tokens that were just refreshed are accepted.
        if !isEnough, let validity, validity >= lifetime { isEnough = isJustRefreshed(tokens, of: id) }
        guard remaining > .zero, isEnough else { return .now }
        let untilDue = remaining - remainingWhenDue(tokens, id, lifetime)
        return untilDue < .zero ? .early : .later(remaining: remaining, untilDue: untilDue)
    }

    /// How long tokens must be valid if the caller requests no time: 60 seconds, or a quarter of the tokens' lifetime if that is less.
    static func usualValidity(of tokens: TokenSet) -> Duration { min(.seconds(60), lifetime(of: tokens) / 4) }

    private static func lifetime(of tokens: TokenSet) -> Duration {
        tokens.expiresAt.map { Duration(limited: $0.timeIntervalSince(tokens.issuedAt)) } ?? .zero
    }

    /// How long tokens are still valid, zero or less if they have expired; nil if the provider did not state an expiry.
    func remaining(_ tokens: TokenSet, of id: SessionID) -> Duration? {
        guard let expiresAt = tokens.expiresAt else { return nil }
        let byWallClock = Duration(limited: expiresAt.timeIntervalSince(clock.now))
        return min(byWallClock, note(tokens, expiresAt, id).end - clock.elapsed)
    }

    func hasExpired(_ tokens: TokenSet, of id: SessionID) -> Bool {
        remaining(tokens, of: id).map { $0 <= .zero } ?? false
    }

    func noteRefreshed(_ tokens: TokenSet, of id: SessionID) {
        guard let expiresAt = tokens.expiresAt else { return }
        _ = note(tokens, expiresAt, id, refreshedAt: clock.elapsed)
    }

    /// Whether a refresh of this process returned the tokens less than 30 seconds ago; false for tokens without a stated expiry.
    func isJustRefreshed(_ tokens: TokenSet, of id: SessionID) -> Bool {
        guard let expiresAt = tokens.expiresAt, let refreshedAt = note(tokens, expiresAt, id).refreshedAt else {
            return false
        }
        return clock.elapsed - refreshedAt < Self.freshness
    }

    /// The remaining validity below which tokens are refreshed in the background.
    ///
    /// Without a refresh token or a lifetime, it is negative, so the tokens are never due. It depends on a hash of the session's id, so
    /// that sessions are not all refreshed at once.
    private func remainingWhenDue(_ tokens: TokenSet, _ id: SessionID, _ lifetime: Duration) -> Duration {
        guard tokens.refreshToken != nil, lifetime > .zero else { return .seconds(-1) }
        let spread = id.rawValue.utf8.reduce(into: UInt32(0)) { $0 = $0 &* 31 &+ UInt32($1) } % 100
        let share = min(earlyRefresh - 0.05 + Double(spread) / 1000, 0.98)
        return lifetime * (1 - share)
    }

    private func note(_ tokens: TokenSet, _ expiresAt: Date, _ id: SessionID, refreshedAt: Duration? = nil) -> Note {
        let (now, elapsed) = (clock.now, clock.elapsed)
        return notes.withLock { notes in
            if let note = notes[id], Self.isSame(note.issuedAt, tokens.issuedAt),
                Self.isSame(note.expiresAt, expiresAt), refreshedAt == nil
            {
                return note
            }
            let isFromTheFuture = tokens.issuedAt.timeIntervalSince(now) > Self.tolerance
            let life = isFromTheFuture ? .zero : Duration(limited: expiresAt.timeIntervalSince(now))
            let note = Note(
                issuedAt: tokens.issuedAt,
                expiresAt: expiresAt,
                end: elapsed + life,
                refreshedAt: refreshedAt
            )
            // Tokens that seem to have expired are recorded only if a refresh has just returned them: then the wall clock may be ahead.
            // Tokens that were issued in the future are recorded as expired: they must not become valid when the wall clock reaches the
            // time of their issue.
            guard expiresAt > now || refreshedAt != nil else { return note }
            // A caller that read the session before a refresh still has the old tokens. They must not replace the record of the new ones.
            if refreshedAt == nil, let newer = notes[id], newer.issuedAt > tokens.issuedAt { return note }
            notes.insert(note, for: id) { $0.end <= elapsed }
            return note
        }
    }

    /// Compares two times with a tolerance, because a stored time has whole milliseconds and a time in memory is more precise.
    private static func isSame(_ one: Date, _ other: Date) -> Bool {
        abs(one.timeIntervalSince(other)) < 0.002
    }
}
