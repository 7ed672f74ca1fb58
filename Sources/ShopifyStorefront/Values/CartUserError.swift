internal import IdentityKit
public import ShopifyGraphQL

/// Why Shopify rejected a change of a cart.
public struct CartUserError: Sendable, Equatable {
    /// The code; nil if Shopify sent no code.
    public let code: CartErrorCode?
    /// The path of the input field, for example `["buyerIdentity", "customerAccessToken"]`; empty if the error is not about a field.
    public let field: [String]
    /// Shopify's message in the language of the context; do not parse it, because Shopify translates it.
    public let message: String
}

/// The code of a ``CartUserError``.
///
/// The type also keeps codes that this version does not know, because Shopify adds codes with new versions.
public struct CartErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The code as text.
    public let rawValue: String

    /// Creates a code from its text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The code as text.
    public var description: String { rawValue }

    /// A value is invalid; ``CartUserError/field`` says which value.
    public static let invalid = Self(rawValue: "INVALID")
    /// A company location was sent without a customer access token.
    public static let missingCustomerAccessToken = Self(rawValue: "MISSING_CUSTOMER_ACCESS_TOKEN")
    /// The company location does not exist, or the buyer may no longer see this location.
    public static let invalidCompanyLocation = Self(rawValue: "INVALID_COMPANY_LOCATION")
    /// The buyer may not buy for the company location.
    public static let buyerCannotPurchaseForCompanyLocation = Self(
        rawValue: "BUYER_CANNOT_PURCHASE_FOR_COMPANY_LOCATION"
    )
    /// Shopify cannot make the change now; nothing was changed.
    public static let serviceUnavailable = Self(rawValue: "SERVICE_UNAVAILABLE")
    /// A validation rule of the merchant rejected the change.
    public static let validationCustom = Self(rawValue: "VALIDATION_CUSTOM")
    /// The cart has too many lines.
    public static let cartTooLarge = Self(rawValue: "CART_TOO_LARGE")
}

/// All errors of a rejected change of a cart.
public struct CartUserErrors: Error, Sendable, Equatable, CustomStringConvertible {
    /// The errors, at least one.
    public let errors: [CartUserError]

    /// Codes and fields, without the messages.
    public var description: String {
        errors.map(\.description).joined(separator: ", ")
    }
}

/// A warning that did not fail the operation, such as insufficient stock.
public struct CartWarning: Sendable, Equatable {
    /// The code.
    public let code: CartWarningCode
    /// Shopify's message; do not parse it, because Shopify translates it.
    public let message: String
    /// The id of the object that the warning is about.
    public let target: String
}

/// The code of a ``CartWarning``; the type also keeps codes that this version does not know.
public struct CartWarningCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The code as text.
    public let rawValue: String

    /// Creates a code from its text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The code as text.
    public var description: String { rawValue }

    /// The merchandise is out of stock.
    public static let merchandiseOutOfStock = Self(rawValue: "MERCHANDISE_OUT_OF_STOCK")
    /// The stock is smaller than the requested quantity; the line has the available quantity.
    public static let merchandiseNotEnoughStock = Self(rawValue: "MERCHANDISE_NOT_ENOUGH_STOCK")
    /// The same address is on the cart twice.
    public static let duplicateDeliveryAddress = Self(rawValue: "DUPLICATE_DELIVERY_ADDRESS")
    /// A discount needs a signed-in customer; this warning is usual after the customer was removed from the cart.
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
