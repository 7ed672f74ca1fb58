internal import ShopifyStorefront

/// The variant that all carts of a run get, so that the approaches can be compared.
actor CartVariant {
    private var id: String?

    /// Returns the id of the first variant that the shop can sell.
    ///
    /// Until a call has found this variant, each call opens the storefront and requests it.
    func id(for buyer: StorefrontContext, in storefront: @Sendable () throws -> StorefrontClient) async throws -> String
    {
        if let id { return id }
        let found = try await storefront().firstAvailableVariant(in: buyer)
        id = found
        return found
    }
}
