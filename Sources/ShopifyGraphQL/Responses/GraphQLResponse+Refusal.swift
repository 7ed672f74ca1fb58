internal import IdentityKit

/// A response with a status other than 2xx.
struct GraphQLRefusal {
    private let status: Int
    private let metadata: GraphQLMetadata
    private let retryAfter: Duration?
    private let answer: IdentityError.ProviderResponse

    init(_ metadata: GraphQLMetadata, _ errors: [GraphQLError], _ retryAfter: Duration?) {
        status = metadata.status
        self.metadata = metadata
        self.retryAfter = retryAfter
        answer = IdentityError.ProviderResponse(metadata, errors)
    }

    /// The failure, with the effect that the request may have had.
    func failure(_ endpoint: GraphQLEndpoint) -> GraphQLFailure {
        GraphQLFailure(error(endpoint), GraphQLFailure.Effect(status: status), metadata)
    }

    private func error(_ endpoint: GraphQLEndpoint) -> IdentityError {
        let (name, mode) = (endpoint.name, endpoint.access)
        func refused(_ message: String, _ hint: String) -> IdentityError {
            error(.configuration, endpoint.refusalCode, message, hint)
        }
        let advice = endpoint.advice
        return switch status {
        case 300..<400:
            error(
                .configuration,
                .redirectRefused,
                "\(name) returned a redirect. Redirects are not followed.",
                advice.redirected
            )
        case 401 where endpoint.takesBuyerTokens:
            error(.retryLater, .accessTokenRefused, "\(name) rejected \(mode).", advice.refused)
        case 401: refused("\(name) rejected \(mode).", advice.refused)
        case 403:
            refused("\(name) denied access (HTTP 403). The request used \(mode).", advice.refused)
        case 402:
            refused(
                "The shop is frozen (HTTP 402). The request used \(mode).",
                "Ask the shop's owner to pay the shop's bill."
            )
        case 404:
            refused("\(name) was not found at this address (HTTP 404). The request used \(mode).", advice.notFound)
        case 423:
            refused(
                "The shop is locked (HTTP 423). The request used \(mode).",
                "Ask the shop's owner to contact Shopify."
            )
        case 429:
            error(
                .retryLater,
                .throttled,
                "\(name) rejected the request because of too many requests (HTTP 429).",
                advice.tooMany
            )
        case 430:
            error(
                .retryLater,
                .securityRejection,
                "Shopify rejected the request as an attack (HTTP 430). The request used \(mode).",
                advice.attack
            )
        case 408, 500...:
            error(.retryLater, .providerUnavailable, "\(name) is unavailable (HTTP \(status)).", "Try again later.")
        default:
            error(
                .rejected,
                .graphQLErrors,
                "\(name) rejected the request (HTTP \(status)).",
                "Read providerResponse of this error: it contains Shopify's explanation, if there is one."
            )
        }
    }

    private func error(
        _ kind: IdentityError.Kind,
        _ code: IdentityError.Code,
        _ message: String,
        _ hint: String
    ) -> IdentityError {
        IdentityError(
            kind,
            code,
            message,
            hint: hint,
            reference: "shopify.dev/docs/api/usage/response-codes",
            retryAfter: retryAfter,
            providerResponse: answer
        )
    }
}
