internal import IdentityKit
internal import ShopifyGraphQL

/// All that Shopify said against a change of the customer.
public struct CustomerUserErrors: Error, Sendable {
    /// One thing that Shopify said.
    public struct Entry: Sendable {
        /// The code, where there is one, for example `PHONE_NUMBER_NOT_VALID`.
        public let code: String?
        /// The path of the input field that it concerns.
        public let field: [String]
        /// Shopify's words, in the language of the context: foreign text, for people only.
        public let message: String
    }

    /// The errors, at least one.
    public let errors: [Entry]

    /// Throws unless there are none.
    static func check(_ errors: [Entry]) throws(IdentityError) {
        guard !errors.isEmpty else { return }
        let cause = CustomerUserErrors(errors: errors)
        throw IdentityError(
            .rejected,
            .customerUserErrors,
            "Shopify refused the change: \(cause).",
            hint: "Show the buyer which field is wrong; the error's cause has the messages.",
            cause: cause
        )
    }
}

extension CustomerUserErrors: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Codes and fields; no message, which is foreign text.
    public var description: String { errors.map(\.description).joined(separator: ", ") }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension CustomerUserErrors.Entry: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Code and field; no message, which is foreign text.
    public var description: String {
        "\(code.map { ForeignName.shown($0) } ?? "error") at \(field.isEmpty ? "the operation" : ForeignName.shown(field))"
    }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
