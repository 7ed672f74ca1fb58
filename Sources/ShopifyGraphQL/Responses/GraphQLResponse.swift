internal import IdentityHTTP
internal import IdentityKit

struct GraphQLResponse: Sendable {
    /// The member `data`; nil when it is missing or null.
    let data: GraphQLNode?
    /// Whether the response has the member `data`, even if its value is null.
    let hasData: Bool
    let errors: [GraphQLError]
    let metadata: GraphQLMetadata
    let retryAfter: Duration?
}

extension GraphQLResponse {
    init(data: GraphQLNode?, errors: [GraphQLError], metadata: GraphQLMetadata) {
        self.init(data: data, hasData: data != nil, errors: errors, metadata: metadata, retryAfter: nil)
    }

    /// Reads an HTTP response; throws unless its status is 2xx and its body is a GraphQL response with data or errors.
    init(
        _ response: HTTPResponse,
        from endpoint: GraphQLEndpoint,
        hiding secrets: RequestSecrets
    ) throws(GraphQLFailure) {
        var body: GraphQLResponseBody?
        var problem = "it contains neither data nor errors"
        do throws(JSONError) {
            body = try GraphQLResponseBody(parsing: response.body)
        } catch {
            problem = error.reason
        }
        // Swift copies the struct once more if the members are set one by one.
        let answer = GraphQLResponse(
            data: body?.data,
            hasData: body?.hasData ?? false,
            errors: GraphQLError.entries(of: body?.errors, hiding: secrets),
            metadata: GraphQLMetadata(
                response,
                asked: endpoint.version,
                cost: GraphQLCost(body?.cost),
                hiding: secrets
            ),
            retryAfter: response.headers.retryAfter
        )
        guard (200..<300).contains(response.status) else {
            throw answer.refusal(endpoint)
        }
        guard body != nil, answer.data != nil || !answer.errors.isEmpty else {
            // A proxy may send an HTML page or an empty body while the shop is unavailable. A later attempt can succeed.
            let opening = response.body.first { $0 > 0x20 }
            let isOutage = opening == nil || opening == UInt8(ascii: "<")
            let error = IdentityError(
                isOutage ? .retryLater : .rejected,
                .unexpectedResponse,
                "\(endpoint.name) returned a response that could not be read as GraphQL: \(problem).",
                hint: (isOutage ? "Try again later. If the error persists, check" : "Check")
                    + " what responds at \(endpoint.url), for example a proxy or the shop's password page. "
                    + "If the API responds and the response is too large or nested too deeply, request less data at once.",
                reference: "GraphQL specification section 7",
                providerResponse: IdentityError.ProviderResponse(
                    errorDescription:
                        "\(response.headers["Content-Type"].map(secrets.hidden) ?? "no content type"), \(response.body.count) bytes",
                    status: answer.metadata.status,
                    traceID: answer.metadata.requestID
                )
            )
            throw GraphQLFailure(error, .unknown, answer.metadata)
        }
        self = answer
    }

    /// The longer of two waits: `Retry-After`, and the time until enough points for the operation are available.
    var requestedWait: Duration? { [metadata.cost?.pause, retryAfter].compactMap(\.self).max() }

    /// Whether the response has no data, or only fields that are null: Shopify returns null for an operation that it did not execute.
    var isWithoutData: Bool {
        data?.hasOnlyNulls ?? true
    }

    /// Whether the response has errors, and no data or only null fields; without errors, null fields are a valid result.
    var isFailure: Bool { isWithoutData && !errors.isEmpty }
}
