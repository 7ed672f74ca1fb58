/// Carts that follow a sign-in; `CartAdapter` of `ShopifyStorefront` conforms.
public protocol SignInCarts: Sendable {
    /// The cart of a guest becomes the cart of a session that has just begun; lines are merged.
    ///
    /// - Returns: Whether the guest's session has nothing left to merge.
    /// - Throws: ``IdentityError``. The call can be repeated and adds no line twice.
    func moveCart(ofGuest guest: SessionID, to session: SessionID) async throws -> Bool

    /// The cart of a session becomes the cart of a newer session of the same buyer.
    ///
    /// - Throws: ``IdentityError``. The old session still has its cart then.
    func moveCart(of old: SessionID, to session: SessionID) async throws
}
