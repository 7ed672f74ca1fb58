internal import IdentityKit
internal import ShopifyGraphQL

/// A status other than 2xx, and what it means.
struct StorefrontRefusal {
    private let status: Int
    private let retryAfter: Duration?
    private let answer: IdentityError.ProviderAnswer

    init(_ metadata: StorefrontMetadata, _ errors: [GraphQLError], _ retryAfter: Duration?) {
        status = metadata.status
        self.retryAfter = retryAfter
        answer = IdentityError.ProviderAnswer(
            error: errors.first?.code?.rawValue,
            errorDescription: errors.first?.message,
            status: metadata.status,
            traceID: metadata.requestID
        )
    }

    func error(_ configuration: StorefrontConfiguration) -> IdentityError {
        let mode = configuration.authentication.name
        switch status {
        case 300..<400:
            return error(
                .configuration,
                .redirectRefused,
                "The Storefront API answered with a redirect, which is not followed.",
                "Set shopDomain to the domain that serves the API, usually the myshopify.com one."
            )
        case 401, 403:
            return error(
                .configuration,
                .storefrontRefused,
                "The Storefront API refused \(mode).",
                "Check that the token belongs to this shop, is of the kind it is configured as, and was not revoked."
            )
        case 402:
            return error(
                .configuration,
                .storefrontRefused,
                "The shop is frozen (asked with \(mode)).",
                "The shop's owner has to settle the bill."
            )
        case 404:
            return error(
                .configuration,
                .storefrontRefused,
                "There is no Storefront API at this address (asked with \(mode)).",
                "Check shopDomain and apiVersion."
            )
        case 423:
            return error(
                .configuration,
                .storefrontRefused,
                "The shop is locked (asked with \(mode)).",
                "The shop's owner has to talk to Shopify."
            )
        case 429:
            return error(
                .retryLater,
                .throttled,
                "The Storefront API has had too many requests.",
                "Wait before the next one; with \(mode), pass the buyer's IP with every call."
            )
        case 430:
            return error(
                .retryLater,
                .securityRejection,
                "Shopify took the request for an attack (430, asked with \(mode)).",
                "Pass the buyer's IP with every call (StorefrontContext.buyerIP), and do not repeat at once."
            )
        case 500...:
            return error(
                .retryLater,
                .providerUnavailable,
                "The Storefront API is out of order.",
                "Try again after a moment."
            )
        default:
            return error(
                .rejected,
                .graphQLErrors,
                "The Storefront API refused the request.",
                "See the provider's answer."
            )
        }
    }

    private func error(
        _ kind: IdentityError.Kind,
        _ code: IdentityError.Code,
        _ message: String,
        _ hint: String
    ) -> IdentityError {
        IdentityError(kind, code, message, hint: hint, retryAfter: retryAfter, providerAnswer: answer)
    }
}
