internal import IdentityHTTP
internal import IdentityKit
internal import ShopifyGraphQL

/// An HTTP response read as a GraphQL answer: bytes in, decision out.
struct StorefrontAnswer: Sendable {
    /// The member `data`, nil when it is missing or null.
    let data: JSONValue?
    let errors: [GraphQLError]
    let metadata: StorefrontMetadata

    /// - Throws: Where the response is no GraphQL answer, or a status other than 2xx.
    init(
        _ response: HTTPResponse,
        to configuration: StorefrontConfiguration,
        hiding secrets: SentValues
    ) throws(IdentityError) {
        metadata = StorefrontMetadata(
            status: response.status,
            requestID: response.headers["X-Request-Id"].map { String(secrets.hidden(in: $0).prefix(200)) },
            servedVersion: response.headers["X-Shopify-API-Version"].map {
                StorefrontAPIVersion(rawValue: String(secrets.hidden(in: $0).prefix(20)))
            },
            deprecatedReason: response.headers["X-Shopify-API-Deprecated-Reason"].map { secrets.hidden(in: $0) }
        )
        let limits = JSONLimits(maximumBytes: response.body.count)
        let body = (try? JSONValue(parsing: response.body, limits: limits))?.object
        errors = GraphQLError.entries(of: body?["errors"], hiding: secrets)
        data = body?["data"].flatMap { $0.isNull ? nil : $0 }
        guard (200..<300).contains(response.status) else {
            throw StorefrontRefusal(metadata, errors, response.headers.retryAfter).error(configuration)
        }
        guard body != nil, data != nil || !errors.isEmpty else {
            // A page or nothing at all is what a proxy sends while the shop is away.
            let opening = response.body.first { $0 > 0x20 }
            let isOutage = opening == nil || opening == UInt8(ascii: "<")
            throw IdentityError(
                isOutage ? .retryLater : .rejected,
                .unexpectedResponse,
                "The Storefront API sent an answer that is no GraphQL answer.",
                hint:
                    "Look at what answers under \(configuration.endpoint): a proxy or a password page may stand there.",
                providerAnswer: IdentityError.ProviderAnswer(
                    errorDescription:
                        "\(response.headers["Content-Type"].map(secrets.hidden) ?? "no content type"), \(response.body.count) bytes",
                    status: metadata.status,
                    traceID: metadata.requestID
                )
            )
        }
    }

    /// Why there are no data, told by the errors.
    func failure(_ configuration: StorefrontConfiguration) -> IdentityError {
        let codes = errors.compactMap(\.code)
        let answer = providerAnswer
        let cause = errors.first
        if codes.contains(.throttled) {
            return IdentityError(
                .retryLater,
                .throttled,
                "The Storefront API is throttling; the operation was not carried out.",
                hint: "Try again after a moment, with growing pauses.",
                providerAnswer: answer,
                cause: cause
            )
        }
        if codes.contains(.internalServerError) {
            return IdentityError(
                .retryLater,
                .providerUnavailable,
                "The Storefront API failed inside.",
                hint: "Try again; the request id helps Shopify's support.",
                providerAnswer: answer,
                cause: cause
            )
        }
        if codes.contains(.accessDenied) {
            return IdentityError(
                .configuration,
                .storefrontRefused,
                "The Storefront API denied access to \(configuration.authentication.name).",
                hint: "Grant the scopes that the operation needs; for carts unauthenticated_write_checkouts.",
                providerAnswer: answer,
                cause: cause
            )
        }
        return IdentityError(
            .rejected,
            .graphQLErrors,
            "The Storefront API found the operation faulty.",
            hint: "See the provider's answer; check the document against the schema of the version that answered.",
            providerAnswer: answer,
            cause: cause
        )
    }

    /// Data that cannot be read although nothing explains it.
    func unreadable(_ error: any Error) -> IdentityError {
        IdentityError(
            .rejected,
            .unexpectedResponse,
            "The Storefront API's data are not what the document asks for.",
            hint: "See the error's cause; compare the version asked for with the one that answered.",
            providerAnswer: IdentityError.ProviderAnswer(status: metadata.status, traceID: metadata.requestID),
            cause: error
        )
    }

    private var providerAnswer: IdentityError.ProviderAnswer {
        IdentityError.ProviderAnswer(
            error: errors.first?.code?.rawValue,
            errorDescription: errors.first?.message,
            status: metadata.status,
            traceID: metadata.requestID
        )
    }
}
