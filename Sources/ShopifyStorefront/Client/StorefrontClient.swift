internal import IdentityHTTP
public import IdentityKit

/// Calls one shop's Storefront API.
///
/// A value that may be used from any task; nothing is cached and nothing retried.
public struct StorefrontClient: Sendable {
    /// How the API is called.
    public let configuration: StorefrontConfiguration
    let environment: IdentityEnvironment

    /// The largest answer that is read: a page of 250 products with their variants has its place in it.
    private static let maximumBodyBytes = 8 << 20

    /// Makes a client.
    public init(configuration: StorefrontConfiguration, environment: IdentityEnvironment) {
        self.configuration = configuration
        self.environment = environment
    }

    /// Carries out an operation whose data are needed.
    ///
    /// - Returns: The data, and the errors that left parts of them null.
    /// - Throws: `IdentityError` where there are no data: kind `IdentityError.Kind.retryLater` for outages and throttling,
    ///   `IdentityError.Kind.configuration` for token, scope, shop and version, `IdentityError.Kind.rejected` for errors of
    ///   the document and answers that are none.
    public func execute<Operation: StorefrontOperation>(
        _ operation: Operation,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> StorefrontResult<Operation.Output> {
        let answer = try await answer(to: operation, context)
        guard let data = answer.data else { throw answer.failure(configuration) }
        do {
            let output = try Operation.output(from: data)
            return StorefrontResult(data: output, errors: answer.errors, metadata: answer.metadata)
        } catch {
            // A null where the reader needs a value is explained by the errors beside it, if there are any.
            guard answer.errors.isEmpty else { throw answer.failure(configuration) }
            throw answer.unreadable(error)
        }
    }

    /// Carries out an operation and returns whatever came: data, errors or both.
    ///
    /// - Throws: `IdentityError` where there is no GraphQL answer, or data without errors that cannot be read.
    public func executePartial<Operation: StorefrontOperation>(
        _ operation: Operation,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> PartialStorefrontResult<Operation.Output> {
        let answer = try await answer(to: operation, context)
        var output: Operation.Output?
        if let data = answer.data {
            do { output = try Operation.output(from: data) } catch {
                guard !answer.errors.isEmpty else { throw answer.unreadable(error) }
            }
        }
        return PartialStorefrontResult(data: output, errors: answer.errors, metadata: answer.metadata)
    }

    private func answer<Operation: StorefrontOperation>(
        to operation: Operation,
        _ context: StorefrontContext
    ) async throws(IdentityError) -> StorefrontAnswer {
        let variables = operation.variables(in: context)
        let request = try request(Operation.document, variables, context)
        let response: HTTPResponse
        do {
            response = try await environment.transport.send(request)
        } catch {
            throw IdentityError(error, asking: "The Storefront API")
        }
        let sent = SentValues(variables, secrets: secrets(context))
        return try StorefrontAnswer(response, to: configuration, hiding: sent)
    }

    /// What the headers carry.
    private func secrets(_ context: StorefrontContext) -> [Secret] {
        let address = context.buyerIP.map { [Secret($0)] } ?? []
        if case .privateToken(let token) = configuration.authentication { return address + [token] }
        return address
    }

    private func request(
        _ document: String,
        _ variables: JSONObject,
        _ context: StorefrontContext
    ) throws(IdentityError) -> HTTPRequest {
        var body: JSONObject = ["query": .string(document)]
        if !variables.members.isEmpty { body["variables"] = .object(variables) }
        var limits = HTTPLimits(maximumBodyBytes: Self.maximumBodyBytes)
        limits.totalTimeout = configuration.timeout
        limits.firstByteTimeout = configuration.timeout
        limits.connectTimeout = min(limits.connectTimeout, configuration.timeout)
        return HTTPRequest(
            method: .post,
            url: configuration.endpoint,
            headers: try headers(context),
            body: JSONValue.object(body).serialized,
            limits: limits,
            allowsLoopbackHTTP: configuration.allowsLoopbackHTTP
        )
    }

    private func headers(_ context: StorefrontContext) throws(IdentityError) -> HTTPHeaders {
        var headers = HTTPHeaders()
        do {
            try headers.set("Content-Type", "application/json")
            try headers.set("Accept", "application/json")
            try headers.set("User-Agent", "IdentityKit/0.1 (ShopifyStorefront)")
            switch configuration.authentication {
            case .privateToken(let token):
                try headers.set("Shopify-Storefront-Private-Token", token.reveal())
                if let address = context.buyerIP {
                    guard StorefrontContext.isAddress(address) else { throw Self.invalidAddress }
                    try headers.set("Shopify-Storefront-Buyer-IP", address)
                }
            case .publicToken(let token): try headers.set("X-Shopify-Storefront-Access-Token", token)
            case .tokenless: break
            }
        } catch let error as IdentityError {
            throw error
        } catch {
            throw StorefrontConfiguration.invalid(
                "A Storefront token cannot stand in an HTTP header.",
                "Copy it without line breaks."
            )
        }
        return headers
    }

    private static var invalidAddress: IdentityError {
        IdentityError(
            .rejected,
            .invalidRequest,
            "The buyer's IP is not an IP address.",
            hint: "Pass one address without port, as the app's own proxy tells it."
        )
    }
}
