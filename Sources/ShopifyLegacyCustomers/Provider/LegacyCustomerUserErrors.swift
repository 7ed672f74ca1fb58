public import IdentityKit
internal import ShopifyGraphQL

/// Legacy: all errors with which Shopify rejected a sign-in, or a new or changed legacy customer.
public struct LegacyCustomerUserErrors: Error, Sendable {
    /// The errors, at least one.
    public let errors: [LegacyCustomerUserError]

    static func check(_ errors: [LegacyCustomerUserError], _ metadata: GraphQLMetadata) throws(IdentityError) {
        guard !errors.isEmpty else { return }
        let cause = LegacyCustomerUserErrors(errors: errors)
        throw IdentityError(
            .rejected,
            .legacyCustomerUserErrors,
            "Shopify rejected the request for a legacy customer: \(cause).",
            hint: """
                Read the errors in the cause, LegacyCustomerUserErrors. Do not show the buyer the codes TAKEN, CUSTOMER_DISABLED and \
                ALREADY_ENABLED, because they reveal who is a customer. If another error has a field, show the buyer which value is \
                wrong. If a Multipass token, or a token or URL from an e-mail, has expired or was used before, get a new one.
                """,
            reference: "Storefront API reference, CustomerUserError",
            providerResponse: IdentityError.ProviderResponse(metadata),
            cause: cause
        )
    }
}

extension LegacyCustomerUserErrors: Redacted {
    /// The codes and fields of the errors, without their messages.
    public var description: String {
        errors.map { error in
            let code = error.code.map { ForeignName.shown($0.rawValue) } ?? "error"
            return "\(code) at \((error.field ?? []).isEmpty ? "the operation" : ForeignName.shown(error.field ?? []))"
        }.joined(separator: ", ")
    }
}

extension IdentityError.Code {
    /// Legacy: the e-mail address or the password is wrong.
    public static let passwordRefused = Self(rawValue: "password_refused")
    /// Legacy: Shopify rejected a new or changed legacy customer, or a sign-in for another reason than ``passwordRefused``.
    ///
    /// The error's `cause` is a ``LegacyCustomerUserErrors``.
    public static let legacyCustomerUserErrors = Self(rawValue: "legacy_customer_user_errors")
}
