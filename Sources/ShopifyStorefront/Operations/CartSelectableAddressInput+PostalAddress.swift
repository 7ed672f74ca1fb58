public import IdentityKit
internal import ShopifyGraphQL

extension CartSelectableAddressInput {
    /// Makes an input from an address.
    ///
    /// Parts that are nil, empty, or not in a form that Shopify accepts are left out. Shopify checks only the country.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - isSelected: Whether it is the address to deliver to.
    ///   - isOneTimeUse: Whether Shopify must not store it in the buyer's account.
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
    /// Makes an input from an address.
    ///
    /// Parts that are nil, empty, or not in a form that Shopify accepts are left out.
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
