internal import IdentityHTTP
internal import IdentityKit

/// An HTTP response read as a GraphQL answer: bytes in, decision out.
struct GraphQLAnswer: Sendable {
    /// Where the member `data` begins, nil when it is missing or null.
    let data: GraphQLNode?
    let errors: [GraphQLError]
    let metadata: GraphQLMetadata
    /// How long the server asks to wait (`Retry-After`).
    let retryAfter: Duration?

    init(data: GraphQLNode?, errors: [GraphQLError], metadata: GraphQLMetadata) {
        self.data = data
        self.errors = errors
        self.metadata = metadata
        retryAfter = nil
    }

    /// - Throws: Where the response is no GraphQL answer, or a status other than 2xx.
    init(
        _ response: HTTPResponse,
        from endpoint: GraphQLEndpoint,
        hiding secrets: RedactedValues
    ) throws(GraphQLFailure) {
        let limits = GraphQLLimits(maximumBytes: endpoint.maximumBodyBytes)
        let body = try? GraphQLResponseBody(parsing: response.body, limits: limits)
        errors = GraphQLError.entries(of: body?.errors, hiding: secrets)
        data = body?.data
        retryAfter = response.headers.retryAfter
        metadata = GraphQLMetadata(
            response,
            asked: endpoint.version,
            cost: GraphQLCost(body?.cost),
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

    /// Whether errors explain that there is nothing: null is an answer, null with errors beside it is none.
    var isFailure: Bool { isWithoutData && !errors.isEmpty }

    /// What the errors say of an operation without data; nil where the errors leave nothing to repeat.
    func repeatable(_ kind: GraphQLDocument.Kind) -> (effect: GraphQLFailure.Effect, asked: Duration?)? {
        guard isFailure else { return nil }
        let asked = [metadata.cost?.pause, retryAfter].compactMap(\.self).max()
        let isThrottled = errors.contains { $0.code == .throttled }
        let isBroken = errors.contains { $0.code == .internalServerError }
        if kind == .query {
            return isThrottled ? (GraphQLFailure.Effect.none, asked) : isBroken ? (.unknown, asked) : nil
        }
        // Below the one field that a mutation is, something was carried out, whatever the code says; and of two fields
        // the other one may have been.
        if errors.allSatisfy({ $0.code == .throttled && $0.path.count <= 1 }) { return (.none, asked) }
        return isThrottled || isBroken || errors.contains { $0.path.count > 1 } ? (.unknown, asked) : nil
    }

    /// Why there are no data that can be used, told by the errors.
    func failure(_ endpoint: GraphQLEndpoint, of kind: GraphQLDocument.Kind) -> GraphQLFailure {
        // A mutation with data was carried out, although the data are not what they should be.
        let effect = kind == .mutation && !isWithoutData ? .unknown : repeatable(kind)?.effect ?? .refused
        return GraphQLFailure(error(endpoint), effect, metadata)
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
                retryAfter: [metadata.cost?.pause, retryAfter].compactMap(\.self).max(),
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
    ///
    /// A mutation was carried out all the same.
    func unreadable(_ error: any Error, _ endpoint: GraphQLEndpoint) -> GraphQLFailure {
        let error = IdentityError(
            .rejected,
            .unexpectedResponse,
            "\(endpoint.name)'s data are not what the document asks for.",
            hint: "See the error's cause; compare the version asked for with the one that answered.",
            providerAnswer: IdentityError.ProviderAnswer(status: metadata.status, traceID: metadata.requestID),
            cause: error
        )
        return GraphQLFailure(error, .unknown, metadata)
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
