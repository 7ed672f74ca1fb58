internal import IdentityCrypto
internal import Synchronization

/// New tokens, and answers that may contain some, that the store did not take: kept in memory, and in the store's spool where it
/// has one, until they can be saved.
final class UnsavedTokens: Sendable {
    struct Entry: Sendable {
        /// The row that they were got for, with the new state.
        let session: StoredSession
        /// `active` with the new tokens, or `answered`.
        let state: SessionState
        /// The fingerprint of the tokens that they replace.
        let replaced: String
        var isSpooled = false
        /// Whether the row contains the answer that the tokens came in: the next process validates it again.
        var isAnswerStored = false

        /// Whether they survive this process.
        var isDurable: Bool { isSpooled || isAnswerStored }

        /// Whether they replace these tokens.
        func replaces(_ tokens: TokenSet) -> Bool { replaced == (try? UnsavedTokens.fingerprint(of: tokens)) }
    }

    private let store: any SessionStore
    private let events: EventSource
    private let entries = Mutex<[SessionID: Entry]>([:])

    init(_ store: any SessionStore, _ events: EventSource) {
        self.store = store
        self.events = events
    }

    private var spool: (any SessionSpooling)? { store as? any SessionSpooling }

    /// The sessions whose newest tokens are not in the store.
    var sessions: Set<SessionID> { entries.withLock { Set($0.keys) } }

    /// The sessions whose newest tokens exist in this process's memory only.
    var sessionsNotDurable: Set<SessionID> { entries.withLock { Set($0.filter { !$0.value.isDurable }.keys) } }

    subscript(_ id: SessionID) -> Entry? { entries.withLock { $0[id] } }

    /// Keeps a state that could not be saved.
    ///
    /// - Parameters:
    ///   - session: The row as it would be.
    ///   - state: The new state.
    ///   - tokens: The tokens that it replaces.
    ///   - isAnswerStored: Whether the row contains the answer that the tokens came in.
    func keep(
        _ session: StoredSession,
        _ state: SessionState,
        replacing tokens: TokenSet,
        isAnswerStored: Bool
    ) async {
        let id = session.id
        guard let replaced = try? Self.fingerprint(of: tokens) else { return }
        var session = session
        session.payload = Self.payload(of: state, replaced: replaced)
        var entry = Entry(session: session, state: state, replaced: replaced)
        entry.isAnswerStored = isAnswerStored
        let before = entries.withLock { [entry] entries in
            let before = entries[id]
            entries[id] = entry
            entries[id]?.isSpooled = before?.isSpooled ?? false
            return before
        }
        guard before?.isSpooled != true else { return }
        if let spool {
            do {
                try await spool.spool(session)
                entries.withLock { $0[id]?.isSpooled = true }
                return events.emit(.tokensSpooled, provider: session.provider, session: id)
            } catch {
                events.emit(.storeFailed(IdentityError.code(of: error)), provider: session.provider, session: id)
            }
        }
        // Once, not at every attempt to save them.
        if before?.isDurable ?? true, !entry.isDurable {
            events.emit(.tokensNotDurable, provider: session.provider, session: id)
        }
    }

    /// What replaces a session's stored tokens, from memory or from the spool; what replaces other tokens is too old and is forgotten.
    func find(for id: SessionID, replacing tokens: TokenSet) async throws -> SessionState? {
        let replaced = try Self.fingerprint(of: tokens)
        if let entry = self[id] {
            if entry.replaced == replaced { return entry.state }
            // The row has newer tokens than these; what is in the spool may be newer still.
            entries.withLock { _ = $0.removeValue(forKey: id) }
        }
        guard let spool, let spooled = try await spool.spooledSession(id) else { return nil }
        let entry = try Self.entry(spooled)
        guard let entry, entry.replaced == replaced else {
            try? await spool.removeSpooledSession(id)
            return nil
        }
        entries.withLock { $0[id] = entry }
        return entry.state
    }

    /// Forgets what was kept for a session.
    func forget(_ id: SessionID) async {
        let entry = entries.withLock { $0.removeValue(forKey: id) }
        // What another process has spooled is found, and compared, by the next refresh.
        if entry?.isSpooled == true { try? await spool?.removeSpooledSession(id) }
    }

    /// Takes out what is kept for a session that is gone.
    func take(_ id: SessionID) async -> Entry? {
        var entry = entries.withLock { $0.removeValue(forKey: id) }
        if entry == nil, let spooled = try? await spool?.spooledSession(id) { entry = try? Self.entry(spooled) }
        try? await spool?.removeSpooledSession(id)
        return entry
    }

    /// The sessions for which something is in the spool.
    func spooledSessions() async throws -> [SessionID] {
        try await spool?.spooledSessions().map(\.id) ?? []
    }

    // MARK: Records

    private static func payload(of state: SessionState, replaced: String) -> Secret {
        var object = state.record
        object["replaces"] = .string(replaced)
        return Secret(bytes: JSONValue.object(object).serialized)
    }

    /// What a spooled session contains; nil for one that replaces nothing.
    private static func entry(_ spooled: StoredSession) throws(IdentityError) -> Entry? {
        let state = try SessionState(spooled)
        guard let replaced = (try? JSONValue(parsing: spooled.payload.revealBytes()))?["replaces"]?.string else {
            return nil
        }
        return Entry(session: spooled, state: state, replaced: replaced, isSpooled: true)
    }

    /// Tells two issues of tokens apart, without being one of them.
    static func fingerprint(of tokens: TokenSet) throws(IdentityError) -> String {
        var bytes = tokens.accessToken.revealBytes()
        bytes.append(0)
        bytes += tokens.refreshToken?.revealBytes() ?? []
        do {
            return Base64URL.encode(try Digest.sha256(bytes))
        } catch {
            throw .sealingUnavailable(error)
        }
    }
}
