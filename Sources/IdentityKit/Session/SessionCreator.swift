internal import FoundationEssentials
internal import IdentityCrypto

struct SessionCreator: SessionService {
    let context: SessionContext

    /// With `isReplacement`, the store may exceed its maximum number of sessions, because the caller then removes a session of the tenant.
    func create(
        for tokens: TokenSet,
        by descriptor: ProviderDescriptor,
        isReplacement: Bool = false
    ) async throws -> Session {
        guard !tokens.buyer.issuer.isEmpty, !tokens.buyer.subject.isEmpty else {
            let missing = tokens.buyer.issuer.isEmpty ? "issuer" : "subject"
            throw IdentityError(
                .rejected,
                .idTokenSubject,
                "The buyer in the tokens of the provider \(descriptor.name) has no \(missing).",
                hint: """
                    Set both issuer and subject of the TokenSet's buyer: together the two values identify the buyer. This call stored no \
                    session.
                    """,
                reference: "OpenID Connect Core section 2"
            )
        }
        let id = try newID()
        let now = clock.now
        let state = SessionState.active(tokens)
        let stored = StoredSession(
            id: id,
            provider: descriptor.name,
            tenant: descriptor.tenant,
            issuer: tokens.buyer.issuer,
            subject: tokens.buyer.subject,
            providerSessionID: tokens.providerSessionID,
            createdAt: now,
            retainedUntil: visible.lifetime.end(ofSessionSince: now),
            // The payload of a new session reserves space, so that a refresh can be saved on a full disk. An `InMemoryStore` has no disk.
            payload: state.payload(ofNewSession: !(store is InMemoryStore))
        )
        try await insert(stored, isReplacement: isReplacement)
        await context.signInRecords.storeBrowser(of: id)
        return Session(stored, state)
    }

    func createGuest(retainedFor retention: Duration) async throws -> Session {
        let now = clock.now
        let state = SessionState.ended(.guest, nil)
        let stored = StoredSession(
            id: try newID(),
            provider: SessionManager.guestProvider,
            tenant: visible.tenant ?? "",
            issuer: SessionManager.guestProvider,
            // A guest has no subject at a provider. The random subject does not reveal the session id, which must stay secret.
            subject: Base64URL.encode(try environment.random.exactly(16)),
            providerSessionID: nil,
            createdAt: now,
            retainedUntil: now + retention.timeInterval,
            payload: state.payload()
        )
        try await insert(stored)
        return Session(stored, state)
    }

    /// Adds a session to the store; after an error, tries to remove the session, unless the error proves that it was not added.
    ///
    /// Without the removal, the store could keep a session whose id no caller knows.
    private func insert(_ session: StoredSession, isReplacement: Bool = false) async throws {
        do {
            if isReplacement, let store = store as? any SessionReplacing {
                try await store.insertReplacement(session)
            } else {
                try await store.insert(session)
            }
        } catch {
            let failure = IdentityError.wrapping(error)
            if failure.kind != .rejected, failure.code != .storeFull { _ = try? await store.remove(session.id) }
            throw error
        }
    }

    func newID() throws -> SessionID {
        SessionID(bytes: try environment.random.exactly(16))
    }
}
