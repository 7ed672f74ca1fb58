public import IdentityKit
internal import ShopifyGraphQL

extension CartLineInput {
    /// Creates a line with a quantity.
    ///
    /// ```swift
    /// let line = CartLineInput(merchandiseID: "gid://shopify/ProductVariant/1", quantity: 2)
    /// ```
    ///
    /// The attributes also appear in the buyer's order. `parentMerchandiseID` is the product variant of the parent line: for a warranty,
    /// the variant that the warranty covers.
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

    /// The number of items that Shopify adds for this line: ``quantity``, or 1 when no quantity is set.
    public var itemCount: Int {
        if case .set(let count) = quantity { count } else { 1 }
    }
}

extension CartLineUpdateInput {
    /// Sets the quantity of a line; a quantity of 0 removes the line.
    public init(id: String, quantity: Int) {
        self.init(id: .set(id), quantity: .set(quantity))
    }
}

extension CartBuyerIdentityInput {
    /// An input that clears token, e-mail address, phone number and company location with explicit nulls; unset fields keep their values.
    public static var detached: CartBuyerIdentityInput {
        CartBuyerIdentityInput(companyLocationID: .null, customerAccessToken: .null, email: .null, phone: .null)
    }
}

extension CartSelectableAddressInput {
    /// Creates an input from an address.
    ///
    /// Parts that are nil or empty, a country code that is not two letters, and a phone number that is not in international form are left
    /// out. The input asks Shopify to check only the country. With `isOneTimeUse`, Shopify does not store the address in the buyer's
    /// account.
    public init(_ address: PostalAddress, isSelected: Bool = true, isOneTimeUse: Bool = true) {
        self.init(
            address: CartAddressInput(address),
            oneTimeUse: .set(isOneTimeUse),
            selected: .set(isSelected),
            validationStrategy: .set(.countryCodeOnly)
        )
    }
}

extension CartAddressInput {
    /// Creates an input from an address, without the parts that are nil, empty, or not in a form that Shopify accepts.
    public init(_ address: PostalAddress) {
        let country = address.countryCode.flatMap(CartText.country)
        // Shopify rejects empty texts.
        func field(_ text: String?) -> InputField<String> { .setIfPresent(text.flatMap { $0.isEmpty ? nil : $0 }) }
        self.init(
            deliveryAddress: .set(
                CartDeliveryAddressInput(
                    address1: field(address.line1),
                    address2: field(address.line2),
                    city: field(address.city),
                    company: field(address.company),
                    countryCode: field(country),
                    firstName: field(address.givenName),
                    lastName: field(address.familyName),
                    phone: field(address.phone.flatMap(CartText.phone)),
                    provinceCode: field(address.regionCode.map { CartText.region($0, in: country) }),
                    zip: field(address.postalCode)
                )
            )
        )
    }
}
