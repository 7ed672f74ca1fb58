internal import IdentityHTTP
internal import IdentityKit

/// Why an attempt of an operation returned no usable data, and whether Shopify may have executed the operation.
struct GraphQLFailure: Error {
    let error: IdentityError
    let effect: Effect
    let metadata: GraphQLMetadata?
    /// Whether another attempt would fail in the same way, because the response was too large.
    private(set) var isFinal = false

    init(_ error: IdentityError, _ effect: Effect, _ metadata: GraphQLMetadata? = nil) {
        self.error = error
        self.effect = effect
        self.metadata = metadata
    }

    init(_ error: HTTPTransportError, asking party: String, at host: String) {
        self.init(IdentityError(error, asking: party, at: host), Effect(error))
        isFinal = error.code == .bodyTooLarge
    }

    /// The error for the caller of an operation.
    ///
    /// A mutation whose repetition is `afterReading` or `never` gets an error with code `outcome_unknown` if Shopify may have executed it.
    /// After a cancellation, the error keeps its code.
    func error(for document: GraphQLDocument) -> IdentityError {
        guard effect == .unknown, document.kind == .mutation, error.kind != .cancelled else { return error }
        switch document.repetition {
        case .always, .once: return error
        case .afterReading, .never: return outcomeUnknown(of: document)
        }
    }

    private func outcomeUnknown(of document: GraphQLDocument) -> IdentityError {
        IdentityError(
            .retryLater,
            .outcomeUnknown,
            "Shopify may have executed \(ForeignName.shown(document.name)): its response is missing or cannot be used.",
            hint: "Read the data that the operation changes. Then send only the changes that are missing.",
            retryAfter: error.retryAfter,
            providerResponse: error.providerResponse,
            cause: error
        )
    }

    /// The error for a response with data and GraphQL errors, if the errors make the data unusable for the caller.
    ///
    /// For a mutation, the error has code `outcome_unknown`: Shopify returned data, so it has executed the mutation. The exception is an
    /// error of kind `configuration`, such as a missing scope, for a mutation with repetition `always` or `once`. This error and the error
    /// of a query are returned unchanged, because the app may send the operation again.
    func errorBesideData(for document: GraphQLDocument) -> IdentityError {
        guard document.kind == .mutation, error.kind != .configuration else { return self.error(for: document) }
        return outcomeUnknown(of: document)
    }
}
