internal import IdentityKit

extension GraphQLResponse {
    /// The failure of a response with a status other than 2xx, with the effect that the request may have had.
    func refusal(_ endpoint: GraphQLEndpoint) -> GraphQLFailure {
        GraphQLFailure(refusalError(endpoint), GraphQLFailure.Effect(status: metadata.status), metadata)
    }

    private func refusalError(_ endpoint: GraphQLEndpoint) -> IdentityError {
        let (name, mode, status) = (endpoint.name, endpoint.access, metadata.status)
        func refused(_ message: String, _ hint: String) -> IdentityError {
            failed(.configuration, endpoint.refusalCode, message, hint)
        }
        let advice = endpoint.advice
        return switch status {
        case 300..<400:
            failed(
                .configuration,
                .redirectRefused,
                "\(name) returned a redirect. Redirects are not followed.",
                advice.redirected
            )
        case 401 where endpoint.takesBuyerTokens:
            failed(.retryLater, .accessTokenRefused, "\(name) rejected \(mode).", advice.refused)
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
            failed(
                .retryLater,
                .throttled,
                "\(name) rejected the request because of too many requests (HTTP 429).",
                advice.tooMany
            )
        case 430:
            failed(
                .retryLater,
                .securityRejection,
                "Shopify rejected the request as an attack (HTTP 430). The request used \(mode).",
                advice.attack
            )
        case 408, 500...:
            failed(.retryLater, .providerUnavailable, "\(name) is unavailable (HTTP \(status)).", "Try again later.")
        default:
            failed(
                .rejected,
                .graphQLErrors,
                "\(name) rejected the request (HTTP \(status)).",
                "Read providerResponse of this error: it contains Shopify's explanation, if there is one."
            )
        }
    }
}
