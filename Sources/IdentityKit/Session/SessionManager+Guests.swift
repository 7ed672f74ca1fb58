internal import FoundationEssentials
internal import IdentityCrypto

extension SessionEndReason {
    /// Nobody has signed in yet: the session is a guest's, ``SessionManager/beginGuest(retainedFor:)``.
    public static let guest = Self(rawValue: "guest")
}

extension Session {
    /// Whether nobody has signed in: the session only holds what is attached to it, such as a cart.
    public var isGuest: Bool { endReason == .guest }
}

extension SessionManager {
    /// The provider's name that guests' sessions have.
    public static let guestProvider = "guest"

    /// Begins a session of nobody: a place in the store for what belongs to a visitor who has not signed in, such as a cart.
    ///
    /// It has an id for the app's cookie, dies like any session, and never has tokens: ``tokens(for:validFor:)`` asks for a login.
    /// A login makes a session with an id of its own, so that who planted a guest's cookie does not get the buyer's session. What
    /// was attached to the guest is another matter: the planter may know it, so give guests their cookie yourself, and sign it.
    ///
    /// - Parameter retention: How long it is kept, by default 30 days.
    /// - Returns: The guest session.
    /// - Throws: ``IdentityError`` of the store.
    public func beginGuest(retainedFor retention: Duration = .seconds(30 * 86_400)) async throws -> Session {
        try await Correlation.scope {
            guard let id = SessionID(rawValue: Base64URL.encode(try environment.random.bytes(16))) else {
                throw IdentityError(.retryLater, .systemFailure, "The random source gave too few bytes.")
            }
            let now = environment.clock.now
            // The id says nothing about the visitor, and the subject must not tell the id.
            let subject = Base64URL.encode(try environment.random.bytes(16))
            let state = SessionState.ended(.guest, nil)
            let stored = StoredSession(
                id: id,
                provider: Self.guestProvider,
                tenant: configuration.tenant ?? "",
                issuer: Self.guestProvider,
                subject: subject,
                providerSessionID: nil,
                createdAt: now,
                retainedUntil: now + retention.timeInterval,
                payload: state.payload()
            )
            try await store.insert(stored)
            return Session(stored, state)
        }
    }

    /// Ends a guest's session; carts follow as they do after a logout.
    ///
    /// - Returns: What went wrong for those who follow; nil where there is no such guest.
    /// - Throws: ``IdentityError`` of the store.
    @discardableResult
    public func endGuest(_ id: SessionID) async throws -> [IdentityError]? {
        try await Correlation.scope {
            guard let stored = try await store.session(id), isKnown(stored),
                try SessionState(stored).endReason == .guest
            else { return nil }
            do {
                return try await logout(id).problems
            } catch let error as IdentityError where error.code == .sessionUnknown {
                // Somebody else was faster.
                return nil
            }
        }
    }
}
