internal import IdentityCrypto
internal import Synchronization

/// New tokens, and responses that may contain tokens, that the store could not save.
///
/// They are kept in memory and, if the store has a spool (a local directory), in the spool. They are removed when they are no longer
/// needed, for example because the store has saved them or has newer tokens.
final class UnsavedTokens: Sendable {
    struct Entry: Sendable {
        /// The session as it would have been saved, with the new state.
        let session: StoredSession
        /// `active` with the new tokens, or `responded`.
        let state: SessionState
        let replacedFingerprint: String
        var isSpooled = false
        /// Whether the store contains the response with the tokens, so that the next process can validate the response again.
        var isResponseStored = false
        /// What the observers were told last about this entry; nil if they were told nothing.
        fileprivate var report: Report?

        var isDurable: Bool { isSpooled || isResponseStored }

        func replaces(_ tokens: TokenSet) -> Bool {
            replacedFingerprint == (try? UnsavedTokens.fingerprint(of: tokens))
        }

        /// Compares this state with the session in the store, whose tokens are `tokens`.
        ///
        /// - A stored session with an older generation, for example from a restored backup, is older than this state.
        /// - A stored session that no longer has the tokens that this state replaces is newer.
        /// - A stored session that still has these tokens is older if it has no response, or a response that belongs to another login.
        /// - A stored session that has these tokens and another response is of unknown age: another process stored this response later.
        ///   Only a validation shows whether the stored response contains tokens.
        func age(comparedWith stored: StoredSession, _ tokens: TokenSet) throws -> Age {
            if session.generation > stored.generation { return .newer }
            guard replacedFingerprint == (try UnsavedTokens.fingerprint(of: tokens)) else { return .older }
            guard case .responded(_, let response)? = try? SessionState(stored) else { return .newer }
            return response.loginMismatch == nil ? .unknown : .newer
        }
    }

    enum Age { case newer, older, unknown }

    fileprivate enum Report { case notDurable, spooled }

    private let spool: (any SessionSpooling)?
    private let events: EventSource
    private let entries = Mutex<[SessionID: Entry]>([:])

    init(_ store: any SessionStore, _ events: EventSource) {
        let isMissing = (store as? any OptionalSpooling)?.hasSpool == false
        spool = isMissing ? nil : store as? any SessionSpooling
        self.events = events
    }

    var sessions: Set<SessionID> { entries.withLock { Set($0.keys) } }

    /// The sessions whose newest tokens exist in this process's memory only.
    var sessionsNotDurable: Set<SessionID> { entries.withLock { Set($0.filter { !$0.value.isDurable }.keys) } }

    subscript(_ id: SessionID) -> Entry? { entries.withLock { $0[id] } }

    func warning(for id: SessionID) -> IdentityError? {
        guard let entry = self[id], !entry.isDurable else { return nil }
        return .tokensNotDurable
    }

    /// The unsaved new tokens, and the session as it would have been saved; nil if only a response or nothing is unsaved.
    func tokens(of id: SessionID) -> (session: StoredSession, tokens: TokenSet)? {
        guard let entry = self[id], case .active(let tokens) = entry.state else { return nil }
        return (entry.session, tokens)
    }

    /// The response to a refresh of `tokens` that no validation has accepted yet, from memory or from the stored `state`.
    func pendingResponse(to tokens: TokenSet, of stored: StoredSession, _ state: SessionState) -> RefreshResponse? {
        guard let entry = self[stored.id], entry.replaces(tokens) else { return state.response }
        switch try? entry.age(comparedWith: stored, tokens) {
        case .newer:
            var response = entry.state.response
            // If the stored response belongs to another login, its error code also applies to the newer response, until a response passes
            // validation.
            if response?.loginMismatch == nil { response?.loginMismatch = state.loginMismatch }
            return response
        // Another machine stored a later response. Until a refresh accepts it, the login mismatch in memory is still reported.
        case .unknown where entry.state.loginMismatch != nil: return entry.state.response
        default: return state.response
        }
    }

    /// Keeps a session's state, which the store could not save, in memory and in the spool.
    ///
    /// `session` is the session as it would have been saved, `tokens` are the tokens that the state replaces. If `reports` is true,
    /// ``report(_:)`` tells the observers.
    func keep(
        _ session: StoredSession,
        _ state: SessionState,
        replacing tokens: TokenSet,
        isResponseStored: Bool,
        reports: Bool
    ) async {
        let id = session.id
        // The new tokens must not be lost if no fingerprint can be computed. So an empty text is used, which differs from all
        // fingerprints. The state counts as newer because of its generation, until another process saves the session.
        let replacedFingerprint = (try? Self.fingerprint(of: tokens)) ?? ""
        var session = session
        session.payload = Self.payload(of: state, replacing: replacedFingerprint)
        var entry = Entry(session: session, state: state, replacedFingerprint: replacedFingerprint)
        entry.isResponseStored = isResponseStored
        let before = entries.withLock { [entry] entries in
            let before = entries[id]
            entries[id] = entry
            entries[id]?.isSpooled = before?.isSpooled ?? false
            entries[id]?.report = before?.report
            return before
        }
        // The state may have changed after it was spooled: its response was accepted, or was found to belong to another login.
        let isInSpool = before?.isSpooled == true && before?.session.payload.isEqual(to: session.payload) == true
        if let spool, !isInSpool {
            do {
                try await spool.spool(session)
                entries.withLock { $0[id]?.isSpooled = true }
            } catch {
                events.emit(.storeFailed(IdentityError.code(of: error)), provider: session.provider, session: id)
            }
        }
        if reports { report(session) }
    }

    /// Tells the observers that the state is in the spool, or that it is only in memory; reports each of the two at most once.
    private func report(_ session: StoredSession) {
        let kind = entries.withLock { entries -> IdentityEvent.Kind? in
            guard let entry = entries[session.id] else { return nil }
            if entry.isSpooled, entry.report != .spooled {
                entries[session.id]?.report = .spooled
                return .tokensSpooled
            }
            if !entry.isDurable, entry.report == nil {
                entries[session.id]?.report = .notDurable
                return .tokensNotDurable
            }
            return nil
        }
        if let kind { events.emit(kind, provider: session.provider, session: session.id) }
    }

    /// Returns the state from memory or the spool that replaces a session's stored tokens; removes a state that is older than them.
    ///
    /// If another machine has stored a later response, the state is kept, and returned only if that response has no tokens.
    func find(
        for stored: StoredSession,
        replacing tokens: TokenSet,
        storedResponseHasNoTokens: Bool
    ) async throws -> SessionState? {
        let id = stored.id
        if let entry = self[id] {
            let age = try entry.age(comparedWith: stored, tokens)
            if age != .older { return age == .newer || storedResponseHasNoTokens ? entry.state : nil }
            // The state in memory is too old. The spool may contain a state that is newer than the stored tokens, so it is read next.
            entries.withLock { _ = $0.removeValue(forKey: id) }
        }
        guard let spool, let spooled = try await spool.spooledSession(id) else { return nil }
        guard let entry = try Self.entry(spooled),
            case let age = try entry.age(comparedWith: stored, tokens), age != .older
        else {
            try? await spool.removeSpooledSession(id)
            return nil
        }
        entries.withLock { $0[id] = entry }
        return age == .newer || storedResponseHasNoTokens ? entry.state : nil
    }

    func forget(_ id: SessionID) async {
        let entry = entries.withLock { $0.removeValue(forKey: id) }
        // Another process may have written the spooled session. So it is removed only if this process has written or read it.
        if entry?.isSpooled == true { try? await spool?.removeSpooledSession(id) }
    }

    func peek(_ id: SessionID) async throws -> Entry? {
        if let entry = self[id] { return entry }
        return try (try await spool?.spooledSession(id)).flatMap(Self.entry)
    }

    /// Removes and returns the state that is kept for a removed session.
    ///
    /// If the spool cannot be read, the state stays there, and a later repair revokes its tokens.
    func take(_ id: SessionID) async -> Entry? {
        do {
            let entry = try await peek(id)
            entries.withLock { _ = $0.removeValue(forKey: id) }
            try? await spool?.removeSpooledSession(id)
            return entry
        } catch {
            return nil
        }
    }

    /// The sessions in the spool, also those of other tenants; empty if the store has no spool.
    func spooledSessions() async throws -> [StoredSession] {
        try await spool?.spooledSessions() ?? []
    }

    // MARK: Records

    private static func payload(of state: SessionState, replacing fingerprint: String) -> Secret {
        RecordWriter.record(capacity: 4096) { record in
            state.write(to: &record)
            record.append("replaces", fingerprint)
        }
    }

    private static func entry(_ spooled: StoredSession) throws(IdentityError) -> Entry? {
        let record = try SessionState.record(of: spooled)
        guard let replaced = record["replaces"]?.string else { return nil }
        var entry = Entry(
            session: spooled,
            state: try SessionState(record),
            replacedFingerprint: replaced,
            isSpooled: true
        )
        // The process that spooled new tokens has reported the spooled state to the observers. A process that spooled a response may have
        // crashed before its report.
        if entry.state.response == nil { entry.report = .spooled }
        return entry
    }

    /// A fingerprint that distinguishes token sets without revealing them.
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
