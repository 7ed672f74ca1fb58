public import IdentityKit
internal import ShopifyGraphQL

extension CartAdapter {
    /// Reads the delivery options of the cart's first 10 delivery groups; the list is empty before the cart has an address.
    ///
    /// - Throws: `IdentityError`.
    public func deliveryGroups(
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> [CartDeliveryGroup] {
        try await withCart(id) { binding, _ in
            let result = try await self.client.execute(CartDeliveryQuery(cartID: binding.cartID), in: context)
            guard let cart = result.data else { throw CartGone(result.metadata) }
            binding.buyerIP = context.buyerIP ?? binding.buyerIP
            return cart.deliveryGroups.nodes
        }
    }

    /// Selects delivery options for the session's cart.
    ///
    /// - Throws: `IdentityError`.
    public func chooseDelivery(
        _ choices: [CartSelectedDeliveryOptionInput],
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await mutate(on: id, in: context) { binding in
            CartSelectedDeliveryOptionsUpdate(cartID: binding.cartID, selectedDeliveryOptions: choices)
        }
    }

    /// Adds delivery addresses, which the buyer has entered; a logout removes them, except with ``CartPolicy/Logout/drop``.
    ///
    /// - Throws: `IdentityError`.
    @discardableResult
    public func addDeliveryAddresses(
        _ addresses: [CartSelectableAddressInput],
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await mutateWithIntent(on: id, in: context) { binding in
            CartDeliveryAddressesAdd(cartID: binding.cartID, addresses: addresses)
        }
    }

    /// Changes delivery addresses of the session's cart, or selects another address for the delivery.
    ///
    /// An empty list is refused, because Shopify removes all addresses when it gets an empty list (since API version 2025-10). To remove
    /// all addresses, call ``removeAllDeliveryAddresses(for:in:)``.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.invalidRequest` for an empty list, before a request is sent.
    @discardableResult
    public func updateDeliveryAddresses(
        _ changes: [CartSelectableAddressUpdateInput],
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        guard !changes.isEmpty else {
            throw IdentityError(
                .rejected,
                .invalidRequest,
                "The list of changed delivery addresses is empty, and Shopify would then remove all addresses of the cart.",
                hint:
                    "To remove all addresses, call removeAllDeliveryAddresses(for:in:). To keep them, do not call "
                    + "updateDeliveryAddresses(_:for:in:).",
                reference: "https://shopify.dev/docs/api/storefront/latest/mutations/cartDeliveryAddressesUpdate"
            )
        }
        return try await mutate(on: id, in: context) { binding in
            CartDeliveryAddressesUpdate(cartID: binding.cartID, addresses: changes)
        }
    }

    /// Removes all delivery addresses from the session's cart.
    ///
    /// - Throws: `IdentityError`.
    public func removeAllDeliveryAddresses(
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await mutate(on: id, in: context) { binding in
            binding.removeAddresses(binding.addressIDs)
            return CartDeliveryAddressesUpdate(cartID: binding.cartID, addresses: [])
        }
    }

    /// Removes delivery addresses from the session's cart; addresses that no longer exist count as removed.
    ///
    /// - Throws: `IdentityError`.
    @discardableResult
    public func removeDeliveryAddresses(
        _ ids: [String],
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await remove(ids, for: id, in: context) {
            CartDeliveryAddressesRemove(cartID: $0, addressIDs: $1)
        } present: {
            $0.deliveryAddressIDs
        }
    }
}
