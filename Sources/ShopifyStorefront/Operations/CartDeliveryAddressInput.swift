public import IdentityKit
public import ShopifyGraphQL

/// A delivery address for a cart (`CartSelectableAddressInput`): selected, for this order only, checked by its country alone.
public struct CartDeliveryAddressInput: GraphQLWritable, Equatable {
    /// The address; parts that are nil or empty are not sent.
    public var address: PostalAddress
    /// Whether it is the one to deliver to; yes unless given.
    public var isSelected: Bool
    /// Whether it must not be kept in the buyer's account; yes unless given.
    public var isOneTimeUse: Bool

    /// Creates an input.
    public init(_ address: PostalAddress, isSelected: Bool = true, isOneTimeUse: Bool = true) {
        self.address = address
        self.isSelected = isSelected
        self.isOneTimeUse = isOneTimeUse
    }

    /// The input as it is sent.
    public var graphQLValue: JSONValue { .object(object) }

    var object: JSONObject {
        var fields = JSONObject()
        let country = address.countryCode.flatMap(CartText.country)
        for (name, value) in [
            ("firstName", address.givenName), ("lastName", address.familyName), ("company", address.company),
            ("address1", address.line1), ("address2", address.line2), ("city", address.city),
            ("provinceCode", address.regionCode.map { CartText.region($0, in: country) }),
            ("zip", address.postalCode), ("countryCode", country), ("phone", address.phone.flatMap(CartText.phone)),
        ] {
            // Shopify validates empty texts and complains about them.
            if let value, !value.isEmpty { fields[name] = .string(value) }
        }
        return [
            "address": .object(["deliveryAddress": .object(fields)]),
            "selected": .bool(isSelected),
            "oneTimeUse": .bool(isOneTimeUse),
            "validationStrategy": .string("COUNTRY_CODE_ONLY"),
        ]
    }
}

/// The forms that Shopify accepts; what has another form is left out, because one bad field fails a whole mutation.
enum CartText {
    /// E.164: a plus and 8 to 15 digits.
    static func phone(_ text: String) -> String? {
        let digits = text.utf8.dropFirst()
        guard text.utf8.first == UInt8(ascii: "+"), (8...15).contains(digits.count),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return text
    }

    /// ISO 3166-1 alpha-2, in capitals as the enum has it.
    static func country(_ text: String) -> String? {
        let code = text.uppercased()
        let isCode = code.utf8.count == 2 && code.utf8.allSatisfy { (0x41...0x5A).contains($0) }
        return isCode ? code : nil
    }

    /// A subdivision without the country before it: `US-NY` becomes `NY`.
    static func region(_ text: String, in country: String?) -> String {
        guard let country, text.utf8.starts(with: (country + "-").utf8) else { return text }
        return String(text.dropFirst(3))
    }
}
