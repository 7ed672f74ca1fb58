internal import IdentityKit

/// Creates the `IdentityError` for GraphQL errors, HTTP statuses other than 2xx, and unreadable data.
///
/// The `userErrors` of a mutation are part of the data, so the module of each API reads them, for example in `CustomerUserErrors`.
extension GraphQLResponse {
    func failure(_ endpoint: GraphQLEndpoint, of kind: GraphQLDocument.Kind) -> GraphQLFailure {
        // If a mutation returned data, Shopify has executed it. The app cannot use these data and does not know the result.
        let effect = kind == .mutation && !isWithoutData ? .unknown : retryEffect(kind)?.effect ?? .refused
        return GraphQLFailure(error(endpoint), effect, metadata)
    }

    /// Creates an error with the metadata and the first GraphQL error of this response.
    ///
    /// If the status is 2xx, the error's `retryAfter` is `wait`. For any other status, it is the header `Retry-After`.
    func failed(
        _ kind: IdentityError.Kind,
        _ code: IdentityError.Code,
        _ message: String,
        _ hint: String,
        reference: String = "shopify.dev/docs/api/usage/response-codes",
        wait: Duration? = nil
    ) -> IdentityError {
        let isRefusal = !(200..<300).contains(metadata.status)
        return IdentityError(
            kind,
            code,
            message,
            hint: hint,
            reference: reference,
            retryAfter: isRefusal ? retryAfter : wait,
            providerResponse: IdentityError.ProviderResponse(metadata, errors),
            cause: isRefusal ? nil : errors.first
        )
    }

    func error(_ endpoint: GraphQLEndpoint) -> IdentityError {
        let codes = errors.compactMap(\.code)
        if codes.contains(.throttled) {
            return failed(
                .retryLater,
                .throttled,
                "\(endpoint.name) throttled the operation.",
                "If retryAfter of this error is set, wait for that time. Then try again with exponential backoff.",
                wait: requestedWait
            )
        }
        if codes.contains(.internalServerError) {
            return failed(
                .retryLater,
                .providerUnavailable,
                "\(endpoint.name) reported an internal error.",
                "Try again. If the error persists, give Shopify's support the request id: traceID in providerResponse of this error."
            )
        }
        if codes.contains(.accessDenied) {
            let message =
                "\(endpoint.name) denied the operation: \(endpoint.access) has no access to a field (ACCESS_DENIED)."
            return failed(.configuration, endpoint.refusalCode, message, endpoint.advice.denied)
        }
        if codes.contains(.shopInactive) {
            let hint = "Check the shop's status in the Shopify admin."
            return failed(.configuration, endpoint.refusalCode, "The shop is not active (SHOP_INACTIVE).", hint)
        }
        // For a token without the required scope, the Customer Account API returns only a text: {"errors":"User does not have access"}.
        let isTextOnly = errors.allSatisfy { $0.code == nil && $0.path.isEmpty && $0.locations.isEmpty }
        if endpoint.takesBuyerTokens, isTextOnly {
            return failed(
                .configuration,
                endpoint.refusalCode,
                "\(endpoint.name) denied the operation without an error code. Usually \(endpoint.access) has no access to a field.",
                "\(endpoint.advice.denied) Read also providerResponse of this error: it contains Shopify's explanation."
            )
        }
        return failed(
            .rejected,
            .graphQLErrors,
            "\(endpoint.name) returned GraphQL errors for the operation.",
            "Read providerResponse of this error. Check the document and its variables against the schema of the API version.",
            reference: "GraphQL specification of October 2021, section 7.1.2"
        )
    }

    /// The failure for data that the operation's Swift type could not read, in a response without GraphQL errors.
    ///
    /// Its effect is `unknown`: Shopify executed the operation, but the app does not know the result.
    func unreadable(_ error: any Error, _ endpoint: GraphQLEndpoint) -> GraphQLFailure {
        let error = IdentityError(
            .rejected,
            .unexpectedResponse,
            "\(endpoint.name) returned data that the Swift type of the operation could not read.",
            hint: """
                Read the error's cause. Check that the Swift type fits the document, and that Shopify still serves the requested API \
                version.
                """,
            reference: "GraphQL specification of October 2021, section 7.1.1",
            providerResponse: IdentityError.ProviderResponse(metadata),
            cause: error
        )
        return GraphQLFailure(error, .unknown, metadata)
    }

    /// The failure of a response with a status other than 2xx.
    func refusal(_ endpoint: GraphQLEndpoint) -> GraphQLFailure {
        let (name, access, advice, status) = (endpoint.name, endpoint.access, endpoint.advice, metadata.status)
        let (kind, code): (IdentityError.Kind, IdentityError.Code) =
            switch status {
            case 300..<400: (.configuration, .redirectRefused)
            case 401 where endpoint.takesBuyerTokens: (.retryLater, .accessTokenRefused)
            case 401...404, 423: (.configuration, endpoint.refusalCode)
            case 429: (.retryLater, .throttled)
            case 430: (.retryLater, .securityRejection)
            case 408, 500...: (.retryLater, .providerUnavailable)
            default: (.rejected, .graphQLErrors)
            }
        let used = "The request used \(access)."
        let (message, hint) =
            switch status {
            case 300..<400: ("\(name) returned a redirect. Redirects are not followed.", advice.redirected)
            case 401: ("\(name) rejected \(access).", advice.refused)
            case 402: ("The shop is frozen (HTTP 402). \(used)", "Ask the shop's owner to pay the shop's bill.")
            case 403: ("\(name) denied access (HTTP 403). \(used)", advice.refused)
            case 404: ("\(name) was not found at this address (HTTP 404). \(used)", advice.notFound)
            case 423: ("The shop is locked (HTTP 423). \(used)", "Ask the shop's owner to contact Shopify.")
            case 429: ("\(name) rejected the request because of too many requests (HTTP 429).", advice.tooMany)
            case 430: ("Shopify rejected the request as an attack (HTTP 430). \(used)", advice.attack)
            case 408, 500...: ("\(name) is unavailable (HTTP \(status)).", "Try again later.")
            default:
                (
                    "\(name) rejected the request (HTTP \(status)).",
                    "Read providerResponse of this error: it may contain Shopify's explanation."
                )
            }
        return GraphQLFailure(failed(kind, code, message, hint), GraphQLFailure.Effect(status: status), metadata)
    }
}

extension IdentityError.ProviderResponse {
    package init(_ metadata: GraphQLMetadata, _ errors: [GraphQLError] = []) {
        self.init(
            error: errors.first?.code?.rawValue,
            errorDescription: errors.first?.message,
            status: metadata.status,
            traceID: metadata.requestID
        )
    }
}
