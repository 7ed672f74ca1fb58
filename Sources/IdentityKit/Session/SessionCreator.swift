internal import FoundationEssentials
internal import IdentityCrypto

/// Stores new sessions, each under an id of its own.
struct SessionCreator: Sendable {
    let store: any SessionStore
    let environment: IdentityEnvironment
    /// The tenant of guests' sessions.
    let tenant: String?
    let lifetime: SessionLifetime
    let revocation: TokenRevocation

    /// Stores a session for the tokens of a login; where that fails, nobody has its tokens, and they are revoked.
    ///
    /// - Parameters:
    ///   - tokens: The tokens of the login.
    ///   - descriptor: The provider that issued them.
    ///   - admit: Refuses the buyer by throwing an error.
    /// - Returns: The new session.
    /// - Throws: The error of the admission or of the store.
    func createOrRevoke(
        for tokens: TokenSet,
        by descriptor: ProviderDescriptor,
        admitting admit: () async throws -> Void = {}
    ) async throws -> Session {
        do {
            try await admit()
            return try await create(for: tokens, by: descriptor)
        } catch {
            await outlivingCaller { [revocation] in await revocation.drop(tokens, of: descriptor.name) }
            throw error
        }
    }

    /// Stores a session for tokens.
    func create(for tokens: TokenSet, by descriptor: ProviderDescriptor) async throws -> Session {
        let id = try newID()
        let now = environment.clock.now
        let state = SessionState.active(tokens)
        let stored = StoredSession(
            id: id,
            provider: descriptor.name,
            tenant: descriptor.tenant,
            issuer: tokens.buyer.issuer,
            subject: tokens.buyer.subject,
            providerSessionID: tokens.providerSessionID,
            createdAt: now,
            retainedUntil: lifetime.end(ofSessionSince: now),
            payload: state.payload(ofNewSession: true)
        )
        try await store.insert(stored)
        return Session(stored, state)
    }

    /// Stores a session of nobody.
    func createGuest(retainedFor retention: Duration) async throws -> Session {
        let now = environment.clock.now
        let state = SessionState.ended(.guest, nil)
        let stored = StoredSession(
            id: try newID(),
            provider: SessionManager.guestProvider,
            tenant: tenant ?? "",
            issuer: SessionManager.guestProvider,
            // The id says nothing about the visitor, and the subject must not tell the id.
            subject: Base64URL.encode(try environment.random.bytes(16)),
            providerSessionID: nil,
            createdAt: now,
            retainedUntil: now + retention.timeInterval,
            payload: state.payload()
        )
        try await store.insert(stored)
        return Session(stored, state)
    }

    private func newID() throws -> SessionID {
        guard let id = SessionID(rawValue: Base64URL.encode(try environment.random.bytes(16))) else {
            throw IdentityError(
                .retryLater,
                .systemFailure,
                "The random source gave too few bytes.",
                hint: "Correct the RandomSource of the environment: it must give as many bytes as it is asked for."
            )
        }
        return id
    }
}
