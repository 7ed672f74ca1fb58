public import IdentityKit
internal import ShopifyGraphQL

/// All errors (`userErrors`) with which Shopify rejected a change of the customer.
public struct CustomerUserErrors: Error, Sendable {
    /// One error.
    public struct Entry: Sendable {
        /// The code, for example `PHONE_NUMBER_NOT_VALID`; nil if Shopify sent no code.
        public let code: String?
        /// The path of the rejected input field; empty if the error is not about a field.
        public let field: [String]
        /// Shopify's message in the language of the context; do not parse it, because Shopify translates it.
        public let message: String
    }

    /// The errors, at least one.
    public let errors: [Entry]

    static func check(_ errors: [Entry], _ metadata: GraphQLMetadata) throws(IdentityError) {
        guard !errors.isEmpty else { return }
        let cause = CustomerUserErrors(errors: errors)
        throw IdentityError(
            .rejected,
            .customerUserErrors,
            "Shopify rejected the change: \(cause).",
            hint:
                "Read the entries of the error's cause, CustomerUserErrors: an entry's field is the path of the rejected input. If that "
                + "input is an id, check that the id belongs to this customer. Otherwise show the buyer the entry's message.",
            reference: "Customer Account API reference, userErrors",
            providerResponse: IdentityError.ProviderResponse(metadata),
            cause: cause
        )
    }
}

extension CustomerUserErrors: Redacted {
    /// Codes and fields, without the messages.
    public var description: String { errors.map(\.description).joined(separator: ", ") }
}

extension CustomerUserErrors.Entry: Redacted {
    /// Code and field, without the message.
    public var description: String {
        "\(code.map { ForeignName.shown($0) } ?? "error") at \(field.isEmpty ? "the operation" : ForeignName.shown(field))"
    }
}

extension IdentityError.Code {
    /// Shopify rejected a change of the customer; the error's `cause` is a ``CustomerUserErrors``.
    public static let customerUserErrors = Self(rawValue: "customer_user_errors")
}
