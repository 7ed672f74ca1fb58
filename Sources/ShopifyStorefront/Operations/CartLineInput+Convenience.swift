internal import IdentityKit
internal import ShopifyGraphQL

extension CartLineInput {
    /// Creates a line with a quantity.
    ///
    /// ```swift
    /// let line = CartLineInput(merchandiseID: "gid://shopify/ProductVariant/1", quantity: 2)
    /// ```
    ///
    /// - Parameters:
    ///   - merchandiseID: The variant's global id.
    ///   - quantity: The number of items.
    ///   - attributes: Attributes of the line, which the order shows.
    ///   - sellingPlanID: The selling plan, for a subscription.
    ///   - parentMerchandiseID: The variant of the line that this line belongs to. For a warranty, it is the product's variant.
    public init(
        merchandiseID: String,
        quantity: Int,
        attributes: [CartAttribute] = [],
        sellingPlanID: String? = nil,
        parentMerchandiseID: String? = nil
    ) {
        self.init(
            merchandiseID: merchandiseID,
            attributes: attributes.isEmpty ? .unset : .set(attributes),
            parent: .setIfPresent(parentMerchandiseID.map { CartLineParentInput(merchandiseID: .set($0)) }),
            quantity: .set(quantity),
            sellingPlanID: .setIfPresent(sellingPlanID)
        )
    }

    /// The number of items that Shopify adds for this line: ``quantity``, or 1 when it is not set.
    public var itemCount: Int {
        if case .set(let count) = quantity { count } else { 1 }
    }
}

extension CartLineUpdateInput {
    /// Sets the quantity of a line.
    ///
    /// A quantity of 0 removes the line.
    public init(id: String, quantity: Int) {
        self.init(id: .set(id), quantity: .set(quantity))
    }
}
