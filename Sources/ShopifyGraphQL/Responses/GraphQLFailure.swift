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
            "\(ForeignName.shown(document.name)) got no usable response, so it may have been executed.",
            hint: "Read the data that the operation changes. Then send only the changes that are missing.",
            retryAfter: error.retryAfter,
            providerResponse: error.providerResponse,
            cause: error
        )
    }

    /// The error for a caller who cannot use the data because the response has GraphQL errors too.
    ///
    /// A mutation gets an error with code `outcome_unknown`, because Shopify executed a mutation that returned data. Exception: if the
    /// document allows a repetition, an error of kind `configuration`, such as a missing scope, is returned unchanged.
    func errorBesideData(for document: GraphQLDocument) -> IdentityError {
        guard document.kind == .mutation, error.kind != .configuration else { return self.error(for: document) }
        return outcomeUnknown(of: document)
    }
}

extension GraphQLFailure {
    /// Whether Shopify may have executed the operation, and whether it may be sent again.
    enum Effect: Sendable, Equatable {
        /// Shopify did not execute the operation, and it may be sent again.
        case none
        /// Shopify may have executed the operation.
        case unknown
        /// The operation must not be sent again: it was rejected, it could not be sent, or its task was cancelled.
        case refused
        /// Shopify rejected the request as an attack (HTTP 430) and did not execute the operation.
        case attack
    }
}

extension GraphQLFailure.Effect {
    init(_ error: HTTPTransportError) {
        self =
            switch (error.code, error.phase) {
            case (.cancelled, _): .refused
            // The request may have been sent before the error, so Shopify may have executed it.
            case (_, .ambiguous): .unknown
            case (.insecureURL, _), (.invalidURL, _), (.addressRefused, _), (.invalidHeader, _), (.invalidMethod, _),
                (.tlsFailed, _), (.closed, _):
                .refused
            case (_, .notSent): .none
            }
    }

    init(status: Int) {
        self =
            switch status {
            case 429: .none
            case 430: .attack
            // A gateway that timed out may have forwarded the request to the API.
            case 408, 500...: .unknown
            default: .refused
            }
    }
}
