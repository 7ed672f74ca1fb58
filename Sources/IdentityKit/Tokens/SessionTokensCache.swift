internal import Synchronization

/// Caches the tokens of sessions for some seconds, so that calls for a busy session do not read the store each time.
///
/// A refresh or logout by this manager takes effect at once; a change by another manager or process, within the cache's lifetime.
final class SessionTokensCache: Sendable {
    private struct Entry {
        let tokens: SessionTokens
        /// When the entry is no longer used: after the cache's lifetime, or earlier if the token is due for a refresh or the session ends.
        let until: Duration
        let tokenExpiry: Duration
    }

    private struct State {
        var entries: BoundedTable<SessionID, Entry>
        var removals = 0
    }

    private let lifetime: Duration
    private let clock: any IdentityClock
    private let state: Mutex<State>

    init?(_ configuration: SessionManager.Configuration, clock: any IdentityClock) {
        guard configuration.cachedSessions > 0, configuration.cacheLifetime > .zero else { return nil }
        lifetime = configuration.cacheLifetime
        state = Mutex(State(entries: BoundedTable(maximum: configuration.cachedSessions)))
        self.clock = clock
    }

    /// A number that a caller gets before it reads tokens from the store, and passes to ``put(_:remaining:untilDue:ticket:)``.
    ///
    /// If ``remove(_:)`` was called for any session in between, `put` stores nothing: the tokens may be older than a refresh or logout.
    var ticket: Int { state.withLock { $0.removals } }

    func tokens(_ id: SessionID, validFor validity: Duration?) -> SessionTokens? {
        let now = clock.elapsed
        return state.withLock { state in
            guard let entry = state.entries[id], entry.until > now,
                entry.tokenExpiry - now >= validity ?? RefreshSchedule.usualValidity(of: entry.tokens.tokens)
            else { return nil }
            return entry.tokens
        }
    }

    /// `remaining`: how long the access token is valid; `untilDue`: the time until the token is due for a refresh or its session ends.
    func put(_ tokens: SessionTokens, remaining: Duration, untilDue: Duration, ticket: Int) {
        guard untilDue > .zero else { return }
        let now = clock.elapsed
        let id = tokens.session.id
        state.withLock { state in
            guard state.removals == ticket else { return }
            let entry = Entry(tokens: tokens, until: now + min(lifetime, untilDue), tokenExpiry: now + remaining)
            state.entries.insert(entry, for: id) { $0.until <= now }
        }
    }

    func remove(_ id: SessionID) {
        state.withLock { state in
            state.removals += 1
            state.entries.remove(id)
        }
    }
}
