extension SessionManager {
    /// The provider name of guests' sessions.
    public static let guestProvider = "guest"

    /// Begins a guest's session, which stores attachments, such as a cart, for a buyer who has not signed in.
    ///
    /// The session has an id for the app's cookie, but no tokens: ``tokens(for:validFor:)`` throws ``IdentityError/Code/notSignedIn``.
    ///
    /// Sign the guest's cookie, and accept only a cookie with the app's signature. Otherwise an attacker who sets a known guest cookie in a
    /// buyer's browser could see the guest's attachments, such as the cart. The attacker does not get the session of the buyer's login,
    /// which has a new id.
    ///
    /// - Parameter retention: How long after this call the session is kept, by default 30 days; then every call treats it as unknown.
    /// - Returns: The guest session.
    /// - Throws: ``IdentityError`` of the store.
    public func beginGuest(retainedFor retention: Duration = .seconds(30 * 86_400)) async throws -> Session {
        try await Correlation.scope { try await creator.createGuest(retainedFor: retention) }
    }

    /// Ends a guest's session, and notifies participants, such as the cart adapter, as a logout does.
    ///
    /// - Returns: The errors of the participants; nil if no guest's session has this id.
    /// - Throws: ``IdentityError`` of the store.
    @discardableResult
    public func endGuest(_ id: SessionID) async throws -> [IdentityError]? {
        try await Correlation.scope {
            do {
                guard try await visible.load(id).decoded().state.endReason == .guest else { return nil }
                return try await end(id, LogoutOptions()).problems
            } catch let error as IdentityError where error.code == .sessionUnknown {
                return nil
            }
        }
    }
}
