internal import Synchronization

/// Caches tokens for some seconds, so that calls for a busy session do not read the store each time.
///
/// Changes by another process or another ``SessionManager``, also a logout, take effect when an entry expires. Changes by this manager take
/// effect at once.
final class SessionTokensCache: Sendable {
    private struct Entry {
        let tokens: SessionTokens
        /// When the entry ends: the earliest of the end of the cache's lifetime, the time at which the token is due for a refresh, and
        /// the end of the session.
        let until: Duration
        /// When the access token expires; nil if that is unknown.
        let end: Duration?
    }

    private struct State {
        var entries: BoundedTable<SessionID, Entry>
        /// Counts removals, because tokens that were read before a removal must not be stored after it.
        var removals = 0
    }

    private let lifetime: Duration
    private let clock: any IdentityClock
    private let state: Mutex<State>

    /// Creates a cache; nil if caching is switched off.
    init?(_ configuration: SessionManager.Configuration, clock: any IdentityClock) {
        guard configuration.cachedSessions > 0, configuration.cacheLifetime > .zero else { return nil }
        lifetime = configuration.cacheLifetime
        state = Mutex(State(entries: BoundedTable(maximum: configuration.cachedSessions)))
        self.clock = clock
    }

    /// A ticket to get before tokens are read, and to pass to `put`.
    ///
    /// If ``remove(_:)`` was called in between, for any session, `put` stores nothing.
    var ticket: Int { state.withLock { $0.removals } }

    /// A session's tokens, if they are in the cache and valid for the requested time.
    func tokens(_ id: SessionID, validFor margin: Duration) -> SessionTokens? {
        let now = clock.elapsed
        return state.withLock { state in
            guard let entry = state.entries[id], entry.until > now, entry.end.map({ $0 - now >= margin }) ?? true else {
                return nil
            }
            return entry.tokens
        }
    }

    /// Stores tokens that were read.
    ///
    /// - Parameters:
    ///   - tokens: The tokens.
    ///   - remaining: How long the access token is valid; nil if that is unknown.
    ///   - untilDue: The time until the access token is due for a refresh or its session ends.
    ///   - ticket: The ticket from before the read.
    func put(_ tokens: SessionTokens, remaining: Duration?, untilDue: Duration, ticket: Int) {
        guard untilDue > .zero else { return }
        let now = clock.elapsed
        let id = tokens.session.id
        state.withLock { state in
            guard state.removals == ticket else { return }
            let entry = Entry(tokens: tokens, until: now + min(lifetime, untilDue), end: remaining.map { now + $0 })
            state.entries.insert(entry, for: id) { $0.until <= now }
        }
    }

    /// Removes a session's tokens from the cache, and makes all earlier tickets invalid.
    func remove(_ id: SessionID) {
        state.withLock { state in
            state.removals += 1
            state.entries.remove(id)
        }
    }
}
