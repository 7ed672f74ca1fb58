internal import Synchronization

/// Credentials that were read a moment ago, so that a busy session does not cost a read of the store each time.
///
/// What another process does to a session, a logout too, is seen when an entry's time is over; what this one does, at once.
final class CredentialCache: Sendable {
    private struct Entry {
        let tokens: SessionTokens
        /// Until when it is served: its own time, the margin before the token's end, and when it becomes due for refresh.
        let until: Duration
        /// When the token expires.
        let end: Duration?
    }

    private struct State {
        var entries: [SessionID: Entry] = [:]
        /// Counts what was removed: what was read before must not come in after it.
        var removals = 0
    }

    private let maximum: Int
    private let lifetime: Duration
    private let clock: any IdentityClock
    private let state = Mutex(State())

    /// A cache; nil where nothing is to be kept.
    init?(maximum: Int, lifetime: Duration, clock: any IdentityClock) {
        guard maximum > 0, lifetime > .zero else { return nil }
        self.maximum = maximum
        self.lifetime = lifetime
        self.clock = clock
    }

    /// What is to be shown when what is read from now on is put in.
    var ticket: Int { state.withLock { $0.removals } }

    /// A session's credential, if it is in the cache and good for as long as asked.
    func tokens(_ id: SessionID, validFor margin: Duration) -> SessionTokens? {
        let now = clock.elapsed
        return state.withLock { state in
            guard let entry = state.entries[id], entry.until > now, entry.end.map({ $0 - now >= margin }) ?? true else {
                return nil
            }
            return entry.tokens
        }
    }

    /// Keeps what was read.
    ///
    /// - Parameters:
    ///   - tokens: The credential.
    ///   - remaining: How long it is valid; nil when nobody knows.
    ///   - untilDue: How long until it is due for refresh.
    ///   - ticket: From before it was read.
    func put(_ tokens: SessionTokens, remaining: Duration?, untilDue: Duration, ticket: Int) {
        guard untilDue > .zero else { return }
        let now = clock.elapsed
        let id = tokens.session.id
        state.withLock { state in
            guard state.removals == ticket else { return }
            if state.entries.count >= maximum, state.entries[id] == nil { makeRoom(&state, now) }
            state.entries[id] = Entry(
                tokens: tokens,
                until: now + min(lifetime, untilDue),
                end: remaining.map { now + $0 }
            )
        }
    }

    /// Forgets a session.
    func remove(_ id: SessionID) {
        state.withLock { state in
            state.removals += 1
            state.entries[id] = nil
        }
    }

    /// Lets go of what is over; if all is fresh, of an eighth, whichever it is, so that this is not done for each newcomer.
    private func makeRoom(_ state: inout State, _ now: Duration) {
        state.entries = state.entries.filter { $0.value.until > now }
        guard state.entries.count >= maximum else { return }
        for id in state.entries.keys.prefix(max(1, maximum / 8)) { state.entries[id] = nil }
    }
}
