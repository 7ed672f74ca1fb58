public import IdentityKit
internal import ShopifyGraphQL

extension ProductFilter {
    private static let maximumBytes = 1 << 16

    /// Creates a filter from the `input` of a filter value that `CollectionProducts` returned.
    ///
    /// ```swift
    /// let filters = try chosen.map { try ProductFilter(input: $0.input) }
    /// let operation = CollectionProducts(handle: .set("mugs"), filters: .set(filters))
    /// ```
    ///
    /// Shopify returns the input as a string that contains a JSON object, for example `{"available":true}`. Pass this string, or the object
    /// itself. A member with the value null is sent as null.
    ///
    /// - Parameter input: The input as Shopify returned it; a string has at most 64 KiB.
    /// - Throws: `IdentityError` with code `IdentityError.Code.invalidRequest` if the input is not a JSON object, is longer than 64 KiB,
    ///   lacks a required member, or has an unknown member or a member of another type than in `ProductFilter`. Such members are not
    ///   ignored, because a filter without them would find too many products.
    public init(input: JSONValue) throws {
        var members = try FilterMembers(Self.parsed(input))
        self.init()
        available = try members.flag("available")
        category = try members.object("category") { category in
            CategoryFilter(id: try category.requiredText("id"))
        }
        price = try members.object("price") { price in
            PriceRangeFilter(max: try price.number("max"), min: try price.number("min"))
        }
        productMetafield = try members.metafield("productMetafield")
        productType = try members.text("productType")
        productVendor = try members.text("productVendor")
        tag = try members.text("tag")
        taxonomyMetafield = try members.object("taxonomyMetafield") { metafield in
            TaxonomyMetafieldFilter(
                key: try metafield.requiredText("key"),
                namespace: try metafield.requiredText("namespace"),
                value: try metafield.requiredText("value")
            )
        }
        variantMetafield = try members.metafield("variantMetafield")
        variantOption = try members.object("variantOption") { option in
            VariantOptionFilter(name: try option.requiredText("name"), value: try option.requiredText("value"))
        }
        try members.end()
    }

    /// Returns the JSON value that a string contains; other values are returned unchanged.
    private static func parsed(_ input: JSONValue) throws -> JSONValue {
        guard let text = input.string else { return input }
        do {
            // An input has at most two levels of objects.
            let limits = JSONLimits(maximumBytes: maximumBytes, maximumDepth: 2)
            return try JSONValue(parsing: Array(text.utf8), limits: limits)
        } catch {
            throw FilterMembers.refusal(
                "The input of the product filter cannot be parsed: \(error.reason).",
                cause: error
            )
        }
    }
}

/// Reads the members of a filter's input one by one, and finds members that were not read.
private struct FilterMembers {
    private var rest: JSONObject
    /// The names of the objects that contain the members, from the outside to the inside.
    private let path: [String]

    init(_ value: JSONValue, at path: [String] = []) throws {
        guard let object = value.object else { throw Self.wrongType(path, "an object") }
        rest = object
        self.path = path
    }

    mutating func flag(_ name: String) throws -> InputField<Bool> {
        try field(name, "true or false") { $0.bool }
    }

    mutating func number(_ name: String) throws -> InputField<Double> {
        try field(name, "a number in the range of Double") { $0.number?.double }
    }

    mutating func text(_ name: String) throws -> InputField<String> {
        try field(name, "a string") { $0.string }
    }

    mutating func requiredText(_ name: String) throws -> String {
        guard case .set(let text) = try text(name) else { throw Self.wrongType(path + [name], "a string") }
        return text
    }

    mutating func metafield(_ name: String) throws -> InputField<MetafieldFilter> {
        try object(name) { metafield in
            MetafieldFilter(
                key: try metafield.requiredText("key"),
                namespace: try metafield.requiredText("namespace"),
                value: try metafield.requiredText("value")
            )
        }
    }

    /// Reads a member that is an object; `read` must read all its members.
    mutating func object<Value>(
        _ name: String,
        _ read: (inout FilterMembers) throws -> Value
    ) throws -> InputField<Value> {
        try field(name, "an object") { [path] value in
            var members = try FilterMembers(value, at: path + [name])
            let result = try read(&members)
            try members.end()
            return result
        }
    }

    private mutating func field<Value>(
        _ name: String,
        _ expected: String,
        _ read: (JSONValue) throws -> Value?
    ) throws -> InputField<Value> {
        guard let value = rest[name] else { return .unset }
        rest[name] = nil
        if value.isNull { return .null }
        guard let result = try read(value) else { throw Self.wrongType(path + [name], expected) }
        return .set(result)
    }

    /// Throws if a member was not read.
    func end() throws {
        guard let member = rest.members.first else { return }
        let name = ForeignName.shown(path + [member.name])
        throw Self.refusal("The input of the product filter has the unknown member \(name).")
    }

    private static func wrongType(_ path: [String], _ expected: String) -> IdentityError {
        let subject = "The input of the product filter"
        guard !path.isEmpty else { return refusal("\(subject) must be \(expected).") }
        return refusal("\(subject) is wrong: \(path.joined(separator: ".")) must be \(expected).")
    }

    static func refusal(_ message: String, cause: (any Error)? = nil) -> IdentityError {
        IdentityError(
            .rejected,
            .invalidRequest,
            message,
            hint:
                "Pass the input of a filter's value as Shopify returned it. If Shopify returned a newer member, update "
                + "IdentityKit.",
            reference: "Storefront API reference, ProductFilter",
            cause: cause
        )
    }
}
