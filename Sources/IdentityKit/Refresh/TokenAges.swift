internal import FoundationEssentials
internal import Synchronization

/// How long tokens are still valid, independently of changes of the wall clock.
///
/// When tokens are first seen, their expiry is recorded on the monotonic clock. The earlier of both expiries is used: a
/// wall clock that is set back does not make an expired token valid. A token that only seemed old while the wall clock
/// was ahead is valid again afterwards.
final class TokenAges: Sendable {
    private struct Note {
        let issuedAt: Date
        let expiresAt: Date
        let end: Duration
        var refreshedAt: Duration?
    }

    /// Tokens that were issued this far in the future come from a clock that was ahead, or our clock was set back.
    private static let tolerance = 300.0
    private static let freshness = Duration.seconds(30)
    private static let maximum = 50_000

    private let clock: any IdentityClock
    private let notes = Mutex<[SessionID: Note]>([:])

    init(_ clock: any IdentityClock) {
        self.clock = clock
    }

    /// How long a session's tokens are still valid, zero or less if they have expired; nil if the provider did not state
    /// an expiry.
    func remaining(_ tokens: TokenSet, of id: SessionID) -> Duration? {
        guard let expiresAt = tokens.expiresAt else { return nil }
        let byWallClock = Self.duration(expiresAt.timeIntervalSince(clock.now))
        return min(byWallClock, note(tokens, expiresAt, id).end - clock.elapsed)
    }

    /// Records that a refresh has just returned tokens.
    func noteRefreshed(_ tokens: TokenSet, of id: SessionID) {
        guard let expiresAt = tokens.expiresAt else { return }
        _ = note(tokens, expiresAt, id, refreshedAt: clock.elapsed)
    }

    /// Whether a refresh of this process has just returned the tokens, so that another one would not return tokens that
    /// are valid longer.
    func isJustRefreshed(_ tokens: TokenSet, of id: SessionID) -> Bool {
        guard let expiresAt = tokens.expiresAt, let refreshedAt = note(tokens, expiresAt, id).refreshedAt else {
            return false
        }
        return clock.elapsed - refreshedAt < Self.freshness
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
            let life = isFromTheFuture ? .zero : Self.duration(expiresAt.timeIntervalSince(now))
            // The table is bounded; an evicted entry is recorded again.
            if notes.count >= Self.maximum { notes = notes.filter { $0.value.end > elapsed } }
            if notes.count >= Self.maximum { notes = [:] }
            let note = Note(
                issuedAt: tokens.issuedAt,
                expiresAt: expiresAt,
                end: elapsed + life,
                refreshedAt: refreshedAt
            )
            notes[id] = note
            return note
        }
    }

    /// A stored time has whole milliseconds; the same time in memory is more precise.
    private static func isSame(_ one: Date, _ other: Date) -> Bool {
        abs(one.timeIntervalSince(other)) < 0.002
    }

    func hasExpired(_ tokens: TokenSet, of id: SessionID) -> Bool {
        remaining(tokens, of: id).map { $0 <= .zero } ?? false
    }

    /// Seconds as a duration, limited to a thousand years, because external times may have any value, also NaN.
    static func duration(_ seconds: Double) -> Duration {
        guard !seconds.isNaN else { return .zero }
        return .seconds(min(max(seconds, -3.2e10), 3.2e10))
    }
}
