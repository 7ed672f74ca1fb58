internal import FoundationEssentials
internal import Synchronization

/// How long tokens still live, whatever becomes of the wall clock.
///
/// When tokens are first seen, their end is noted on the clock that never jumps. The earlier of both ends counts: a wall clock that
/// is set back does not revive what has expired, one that is set forward and back again does not keep what it made look old.
final class TokenAges: Sendable {
    private struct Note {
        let issuedAt: Date
        let expiresAt: Date
        let end: Duration
        var refreshedAt: Duration?
    }

    /// Tokens from this far in the future were issued by a clock that was ahead, or ours has been set back.
    private static let tolerance = 300.0
    private static let freshness = Duration.seconds(30)
    private static let maximum = 50_000

    private let clock: any IdentityClock
    private let notes = Mutex<[SessionID: Note]>([:])

    init(_ clock: any IdentityClock) {
        self.clock = clock
    }

    /// How long a session's tokens are good for, zero or less when they have expired; nil when the provider did not say.
    func remaining(_ tokens: TokenSet, of id: SessionID) -> Duration? {
        guard let expiresAt = tokens.expiresAt else { return nil }
        let byWallClock = Self.duration(expiresAt.timeIntervalSince(clock.now))
        return min(byWallClock, note(tokens, expiresAt, id).end - clock.elapsed)
    }

    /// Notes that a refresh has just brought tokens.
    func refreshed(_ tokens: TokenSet, of id: SessionID) {
        guard let expiresAt = tokens.expiresAt else { return }
        _ = note(tokens, expiresAt, id, refreshedAt: clock.elapsed)
    }

    /// Whether a refresh of this process brought the tokens a moment ago, so that another one would bring none that last longer.
    func isFresh(_ tokens: TokenSet, of id: SessionID) -> Bool {
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
            // Bounded: what is forgotten is noted anew.
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

    /// A stored time has whole milliseconds, the same one in memory has more.
    private static func isSame(_ one: Date, _ other: Date) -> Bool {
        abs(one.timeIntervalSince(other)) < 0.002
    }

    func hasExpired(_ tokens: TokenSet, of id: SessionID) -> Bool {
        remaining(tokens, of: id).map { $0 <= .zero } ?? false
    }

    /// Seconds as a duration, within a thousand years: times from outside may be anything, also no number.
    static func duration(_ seconds: Double) -> Duration {
        guard !seconds.isNaN else { return .zero }
        return .seconds(min(max(seconds, -3.2e10), 3.2e10))
    }
}
