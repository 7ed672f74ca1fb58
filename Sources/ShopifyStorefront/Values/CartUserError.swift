public import ShopifyGraphQL

/// Why Shopify refused a change of a cart.
public struct CartUserError: Sendable, Equatable {
    /// The code, where there is one.
    public let code: CartErrorCode?
    /// The path of the input field that it concerns, for example `["buyerIdentity", "customerAccessToken"]`.
    public let field: [String]
    /// Shopify's words, in the language of the context: foreign text, for people only.
    public let message: String
}

/// The code of a ``CartUserError``; Shopify adds new ones with almost every version, and they survive here.
public struct CartErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The code as text.
    public let rawValue: String

    /// A code with the given text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The code as text.
    public var description: String { rawValue }

    /// A value is not valid; the field tells which.
    public static let invalid = Self(rawValue: "INVALID")
    /// A company location without a customer access token.
    public static let missingCustomerAccessToken = Self(rawValue: "MISSING_CUSTOMER_ACCESS_TOKEN")
    /// Shopify cannot do it now; nothing was changed.
    public static let serviceUnavailable = Self(rawValue: "SERVICE_UNAVAILABLE")
    /// A rule of the merchant's own.
    public static let validationCustom = Self(rawValue: "VALIDATION_CUSTOM")
    /// The cart has too many lines.
    public static let cartTooLarge = Self(rawValue: "CART_TOO_LARGE")
}

/// All that Shopify said against a change of a cart.
public struct CartUserErrors: Error, Sendable, Equatable, CustomStringConvertible {
    /// The errors, at least one.
    public let errors: [CartUserError]

    /// Codes and fields; no message, which is foreign text.
    public var description: String {
        errors.map(\.description).joined(separator: ", ")
    }
}

/// Something that did not go as wished and failed nothing, such as a stock that is too small.
public struct CartWarning: Sendable, Equatable {
    /// The code.
    public let code: CartWarningCode
    /// Shopify's words: foreign text, for people only.
    public let message: String
    /// The id of what it concerns.
    public let target: String
}

/// The code of a ``CartWarning``; unknown ones survive.
public struct CartWarningCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The code as text.
    public let rawValue: String

    /// A code with the given text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The code as text.
    public var description: String { rawValue }

    /// There is none left.
    public static let merchandiseOutOfStock = Self(rawValue: "MERCHANDISE_OUT_OF_STOCK")
    /// There are fewer than asked for; the line has what there is.
    public static let merchandiseNotEnoughStock = Self(rawValue: "MERCHANDISE_NOT_ENOUGH_STOCK")
    /// The same address is on the cart twice.
    public static let duplicateDeliveryAddress = Self(rawValue: "DUPLICATE_DELIVERY_ADDRESS")
    /// A discount that needs a signed-in customer; typical after detaching one.
    public static let discountEligibleCustomerMissing = Self(rawValue: "DISCOUNT_ELIGIBLE_CUSTOMER_MISSING")
}

extension CartUserError: GraphQLReadable {
    /// Reads code, field and message.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        code = try node.field("code", as: String?.self).map(CartErrorCode.init(rawValue:))
        field = try node.field("field", as: [String]?.self) ?? []
        message = try node.field("message", as: String?.self) ?? ""
    }
}

extension CartWarning: GraphQLReadable {
    /// Reads code, message and target.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        code = CartWarningCode(rawValue: try node.field("code"))
        message = try node.field("message", as: String?.self) ?? ""
        target = try node.field("target", as: String?.self) ?? ""
    }
}
