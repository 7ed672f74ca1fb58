/// A store that lists its readable sessions, and also reports an error if unreadable sessions may match the filter.
///
/// For example, ``SessionManager/logoutAll(issuer:subject:tenant:)`` ends the readable sessions of a buyer, and then throws the error.
public protocol PartialSessionListing: SessionRecordStore {
    /// The readable sessions that match, oldest first, and the first error for a session that may match but cannot be read.
    ///
    /// If the filter contains `isInDoubt`, damaged sessions that the store has moved to its quarantine are left out without an error.
    func readableSessions(matching filter: SessionFilter) async throws -> SessionListing
}

/// A list of sessions, and the reason why sessions may be missing from it.
public struct SessionListing: Sendable {
    /// The sessions that could be read.
    public var sessions: [StoredSession]
    /// The error for a session that may match but cannot be read; nil if the store reports no such session.
    public var damage: IdentityError?

    /// Creates a list.
    public init(sessions: [StoredSession] = [], damage: IdentityError? = nil) {
        self.sessions = sessions
        self.damage = damage
    }

    /// The list with its oldest session first.
    public var oldestFirst: SessionListing {
        SessionListing(sessions: sessions.sorted(by: StoredSession.isOlder), damage: damage)
    }
}

extension PartialSessionListing {
    /// The sessions that match, oldest first.
    ///
    /// If the filter names a buyer or a session id of the provider, and an unreadable session may match, the method throws, because a
    /// logout with this filter must end every matching session. With other filters, unreadable sessions are omitted.
    public func sessions(matching filter: SessionFilter) async throws -> [StoredSession] {
        let listing = try await readableSessions(matching: filter)
        if let damage = listing.damage, filter.buyer != nil || filter.providerSessionID != nil { throw damage }
        return listing.sessions
    }
}

extension StoredSession {
    package static func isOlder(_ one: StoredSession, than other: StoredSession) -> Bool {
        (one.createdAt, one.id.rawValue) < (other.createdAt, other.id.rawValue)
    }
}

extension SessionRecordStore {
    func readable(_ filter: SessionFilter) async throws -> SessionListing {
        guard let partial = self as? any PartialSessionListing else {
            return SessionListing(sessions: try await sessions(matching: filter))
        }
        return try await partial.readableSessions(matching: filter)
    }
}
