/// Merges and moves carts when a buyer signs in; `CartAdapter` of `ShopifyStorefront` conforms.
public protocol SignInCarts: Sendable {
    /// Merges the cart of a guest into the cart of a session that has just begun.
    ///
    /// - Returns: Whether the merge is complete. After a complete merge, the browser no longer needs the guest's session. A merge is
    ///   complete even if the shop refused some lines, because the shop would refuse these lines again.
    /// - Throws: ``IdentityError``. After an error, the method can be called again; it adds no line twice.
    func mergeCart(ofGuest guest: SessionID, into session: SessionID) async throws -> Bool

    /// Moves the cart of a session to a newer session of the same buyer.
    ///
    /// If the old session has no cart, the method moves nothing.
    ///
    /// - Throws: ``IdentityError``. After an error, the old session still has its cart.
    func moveCart(of old: SessionID, to session: SessionID) async throws
}
