internal import IdentityKit

/// A status other than 2xx, and what it means.
struct GraphQLRefusal {
    private let status: Int
    private let metadata: GraphQLMetadata
    private let retryAfter: Duration?
    private let answer: IdentityError.ProviderAnswer

    init(_ metadata: GraphQLMetadata, _ errors: [GraphQLError], _ retryAfter: Duration?) {
        status = metadata.status
        self.metadata = metadata
        self.retryAfter = retryAfter
        answer = IdentityError.ProviderAnswer(
            error: errors.first?.code?.rawValue,
            errorDescription: errors.first?.message,
            status: metadata.status,
            traceID: metadata.requestID
        )
    }

    /// The refusal with what the request may have done all the same.
    func failure(_ endpoint: GraphQLEndpoint) -> GraphQLFailure {
        let effect: GraphQLFailure.Effect =
            switch status {
            case 429: .none
            case 430: .attack
            // A gateway that gave up may have passed the request on.
            case 408, 500...: .unknown
            default: .refused
            }
        return GraphQLFailure(error(endpoint), effect, metadata)
    }

    private func error(_ endpoint: GraphQLEndpoint) -> IdentityError {
        let (name, mode) = (endpoint.name, endpoint.access)
        switch status {
        case 300..<400:
            return error(
                .configuration,
                .redirectRefused,
                "\(name) answered with a redirect, which is not followed.",
                endpoint.advice.redirected
            )
        case 401 where endpoint.takesBuyerTokens:
            return error(
                .retryLater,
                .accessTokenRefused,
                "\(name) refused \(mode).",
                endpoint.advice.refused
            )
        case 401, 403:
            return error(
                .configuration,
                endpoint.refusalCode,
                "\(name) refused \(mode).",
                endpoint.advice.refused
            )
        case 402:
            return error(
                .configuration,
                endpoint.refusalCode,
                "The shop is frozen (asked with \(mode)).",
                "The shop's owner has to settle the bill."
            )
        case 404:
            return error(
                .configuration,
                endpoint.refusalCode,
                "\(name) is not at this address (asked with \(mode)).",
                endpoint.advice.notFound
            )
        case 423:
            return error(
                .configuration,
                endpoint.refusalCode,
                "The shop is locked (asked with \(mode)).",
                "The shop's owner has to talk to Shopify."
            )
        case 429:
            return error(
                .retryLater,
                .throttled,
                "\(name) has had too many requests.",
                endpoint.advice.tooMany
            )
        case 430:
            return error(
                .retryLater,
                .securityRejection,
                "Shopify took the request for an attack (430, asked with \(mode)).",
                endpoint.advice.attack
            )
        case 408, 500...:
            return error(
                .retryLater,
                .providerUnavailable,
                "\(name) is out of order.",
                "Try again after a moment."
            )
        default:
            return error(
                .rejected,
                .graphQLErrors,
                "\(name) refused the request.",
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
