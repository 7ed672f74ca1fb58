/// Merges and moves carts when a buyer signs in; `CartAdapter` of `ShopifyStorefront` conforms.
public protocol SignInCarts: Sendable {
    /// Merges the cart of a guest into the cart of a session that has just begun.
    ///
    /// - Returns: Whether the merge is complete, so that the browser no longer needs the guest's session. Lines that the shop refused do
    ///   not make it incomplete: the shop would refuse them again.
    /// - Throws: ``IdentityError``. The call can be repeated and adds no line twice.
    func mergeCart(ofGuest guest: SessionID, into session: SessionID) async throws -> Bool

    /// Moves the cart of a session to a newer session of the same buyer.
    ///
    /// A cart that the shop no longer has counts as no cart.
    ///
    /// - Throws: ``IdentityError``. The old session still has its cart then.
    func moveCart(of old: SessionID, to session: SessionID) async throws
}
