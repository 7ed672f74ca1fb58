public import IdentityKit

extension CartAdapter {
    /// The carts of the buyer's other sessions, newest session first.
    ///
    /// Shopify has no list of a customer's carts. These are the carts whose sessions this app's store lists.
    ///
    /// - Throws: `IdentityError` of the store.
    public func otherCarts(ofBuyerOf id: SessionID) async throws -> [BoundCart] {
        try await identityErrors { try await self.others(id).map(\.cart) }
    }

    func others(_ id: SessionID) async throws -> [(cart: BoundCart, binding: CartBinding)] {
        let own = try await sessions.session(id)
        guard !own.isGuest else { return [] }
        var found: [(BoundCart, CartBinding)] = []
        let buyers = try await sessions.sessions(matching: SessionFilter(buyerOf: own))
        for session in buyers.reversed() where session.id != id {
            // Two providers may use the same issuer and subject.
            guard session.provider.utf8.elementsEqual(own.provider.utf8),
                let binding = try await attachments.read(session.id).binding, !binding.isUntrusted
            else { continue }
            found.append((BoundCart(session: session.id, cartID: binding.cartID, identity: binding.state), binding))
        }
        return found
    }
}
