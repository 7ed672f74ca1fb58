internal import IdentityKit
internal import ShopifyGraphQL

extension StorefrontClient {
    /// Returns the global id of the first variant that the shop can sell, for programs that try a cart with an unknown shop.
    ///
    /// The search reads the first 250 variants of the shop's first 20 available products. If it finds no available variant, the error has
    /// the kind `configuration`.
    package func firstAvailableVariant(in context: StorefrontContext) async throws -> String {
        var count = 0
        search: for try await page in products(size: 250, in: context) {
            for product in page.nodes where product.availableForSale {
                guard count < 20 else { break search }
                count += 1
                let details = try await execute(ProductByID(id: product.id, variantCount: 250), in: context).data
                if let variant = details?.variants.nodes.first(where: \.availableForSale) { return variant.id }
            }
        }
        throw IdentityError(
            .configuration,
            .configurationInvalid,
            count == 0
                ? "The shop has no product that is available for sale, so this program found no variant for a cart."
                : "This program read \(count) available products of the shop, and found no variant that can be sold.",
            hint: "Check that a product is in stock and published to the sales channel that the storefront uses.",
            reference: "Storefront API reference, products"
        )
    }
}
