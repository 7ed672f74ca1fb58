internal import IdentityKit
internal import ShopifyGraphQL

extension CartBuyerIdentityInput {
    /// Removes the buyer from a cart: explicit nulls, because a field that is left out keeps its value.
    public static var detached: CartBuyerIdentityInput {
        CartBuyerIdentityInput(companyLocationID: .null, customerAccessToken: .null, email: .null, phone: .null)
    }
}
