internal import IdentityHTTP
internal import IdentityKit

/// The reason why an attempt returned no data, and its possible effect.
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
    /// - Parameter document: The operation's document. For a mutation that must not be repeated and may have been executed, the error gets
    ///   the code `outcome_unknown`, except after a cancellation.
    /// - Returns: The error.
    func error(for document: GraphQLDocument) -> IdentityError {
        guard effect == .unknown, document.kind == .mutation, error.kind != .cancelled else { return error }
        switch document.repetition {
        case .always, .once: return error
        case .afterReading, .never: return outcomeUnknown(of: document)
        }
    }

    /// The error for a mutation that may have been executed.
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

    /// The error for a caller who cannot use the data beside the GraphQL errors.
    ///
    /// A mutation with data was executed, so its outcome counts as unknown. An error that no repetition can remove, such as a missing
    /// scope, stays as it is if the mutation may be repeated.
    func errorBesideData(for document: GraphQLDocument) -> IdentityError {
        guard document.kind == .mutation, error.kind != .configuration else { return self.error(for: document) }
        return outcomeUnknown(of: document)
    }
}
