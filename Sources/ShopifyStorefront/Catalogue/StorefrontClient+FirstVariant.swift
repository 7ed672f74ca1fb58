internal import IdentityKit
internal import ShopifyGraphQL

extension StorefrontClient {
    /// Returns the global id of the first variant that the shop can sell, for programs that try a cart with an unknown shop.
    ///
    /// The search reads the shop's first 250 products, and the first 250 variants of the first 20 available products. If it finds no
    /// available variant, the error has the kind `configuration`.
    package func firstAvailableVariant(in context: StorefrontContext) async throws -> String {
        let products = try await execute(ProductsPage(first: 250), in: context).data.nodes
        for product in products.lazy.filter(\.availableForSale).prefix(20) {
            let details = try await execute(ProductByID(id: product.id, variantCount: 250), in: context).data
            if let variant = details?.variants.nodes.first(where: \.availableForSale) { return variant.id }
        }
        throw IdentityError(
            .configuration,
            .configurationInvalid,
            "No available variant was found: this program read at most 20 available products of the shop's first 250 products.",
            hint: "Check that one of the first products in the sales channel of the storefront's token is in stock.",
            reference: "Storefront API reference, products"
        )
    }
}
