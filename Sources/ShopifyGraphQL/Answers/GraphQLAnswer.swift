internal import IdentityHTTP
internal import IdentityKit

/// An HTTP response read as a GraphQL answer: bytes in, decision out.
struct GraphQLAnswer: Sendable {
    /// Where the member `data` begins, nil when it is missing or null.
    let data: GraphQLNode?
    let errors: [GraphQLError]
    let metadata: GraphQLMetadata

    init(data: GraphQLNode?, errors: [GraphQLError], metadata: GraphQLMetadata) {
        self.data = data
        self.errors = errors
        self.metadata = metadata
    }

    /// - Throws: Where the response is no GraphQL answer, or a status other than 2xx.
    init(
        _ response: HTTPResponse,
        from endpoint: GraphQLEndpoint,
        hiding secrets: SentValues
    ) throws(GraphQLFailure) {
        let limits = GraphQLLimits(maximumBytes: endpoint.maximumBodyBytes)
        let body = try? GraphQLResponseBody(parsing: response.body, limits: limits)
        errors = GraphQLError.entries(of: body?.errors, hiding: secrets)
        data = body?.data
        metadata = GraphQLMetadata(
            response,
            asked: endpoint.version,
            cost: GraphQLCost(body?.extensions?["cost"]),
            hiding: secrets
        )
        guard (200..<300).contains(response.status) else {
            throw GraphQLRefusal(metadata, errors, response.headers.retryAfter).failure(endpoint)
        }
        guard body != nil, data != nil || !errors.isEmpty else {
            // A page or nothing at all is what a proxy sends while the shop is away.
            let opening = response.body.first { $0 > 0x20 }
            let isOutage = opening == nil || opening == UInt8(ascii: "<")
            let error = IdentityError(
                isOutage ? .retryLater : .rejected,
                .unexpectedResponse,
                "\(endpoint.name) sent an answer that is no GraphQL answer.",
                hint:
                    "Look at what answers under \(endpoint.url): a proxy or a password page may stand there.",
                providerAnswer: IdentityError.ProviderAnswer(
                    errorDescription:
                        "\(response.headers["Content-Type"].map(secrets.hidden) ?? "no content type"), \(response.body.count) bytes",
                    status: metadata.status,
                    traceID: metadata.requestID
                )
            )
            throw GraphQLFailure(error, .unknown, metadata)
        }
    }

    /// Whether the data hold nothing: Shopify nulls the one field of an operation that was not carried out.
    var isWithoutData: Bool {
        data?.hasOnlyNulls ?? true
    }

    /// What the errors say of an operation without data; nil where the errors leave nothing to repeat.
    var repeatable: (effect: GraphQLFailure.Effect, asked: Duration?)? {
        guard isWithoutData else { return nil }
        let codes = errors.compactMap(\.code)
        if codes.contains(.throttled) { return (GraphQLFailure.Effect.none, metadata.cost?.pause) }
        return codes.contains(.internalServerError) ? (.unknown, nil) : nil
    }

    /// Why there are no data, told by the errors.
    func failure(_ endpoint: GraphQLEndpoint) -> GraphQLFailure {
        GraphQLFailure(error(endpoint), repeatable?.effect ?? .refused, metadata)
    }

    private func error(_ endpoint: GraphQLEndpoint) -> IdentityError {
        let codes = errors.compactMap(\.code)
        let answer = providerAnswer
        let cause = errors.first
        if codes.contains(.throttled) {
            return IdentityError(
                .retryLater,
                .throttled,
                "\(endpoint.name) is throttling; the operation was not carried out.",
                hint: "Try again after a moment, with growing pauses.",
                retryAfter: metadata.cost?.pause,
                providerAnswer: answer,
                cause: cause
            )
        }
        if codes.contains(.internalServerError) {
            return IdentityError(
                .retryLater,
                .providerUnavailable,
                "\(endpoint.name) failed inside.",
                hint: "Try again; the request id helps Shopify's support.",
                providerAnswer: answer,
                cause: cause
            )
        }
        if codes.contains(.accessDenied) {
            return IdentityError(
                .configuration,
                endpoint.refusalCode,
                "\(endpoint.name) denied access to \(endpoint.access).",
                hint: endpoint.advice.denied,
                providerAnswer: answer,
                cause: cause
            )
        }
        if codes.contains(.shopInactive) {
            return IdentityError(
                .configuration,
                endpoint.refusalCode,
                "The shop is not active.",
                hint: "Look at the shop's admin.",
                providerAnswer: answer,
                cause: cause
            )
        }
        return IdentityError(
            .rejected,
            .graphQLErrors,
            "\(endpoint.name) found the operation faulty.",
            hint: "See the provider's answer; check the document against the schema of the version that answered.",
            providerAnswer: answer,
            cause: cause
        )
    }

    /// Data that cannot be read although nothing explains it.
    func unreadable(_ error: any Error, _ endpoint: GraphQLEndpoint) -> IdentityError {
        IdentityError(
            .rejected,
            .unexpectedResponse,
            "\(endpoint.name)'s data are not what the document asks for.",
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
