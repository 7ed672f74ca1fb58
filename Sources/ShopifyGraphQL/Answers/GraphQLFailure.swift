internal import IdentityHTTP
internal import IdentityKit

/// Why an attempt brought no data, and what it may have done all the same.
struct GraphQLFailure: Error {
    /// What the attempt did.
    enum Effect: Sendable, Equatable {
        /// Nothing: the operation was not carried out, and may be sent again.
        case none
        /// Nobody knows whether the operation was carried out.
        case unknown
        /// Nothing, and sending it again would change nothing.
        case refused
        /// Shopify takes us for an attacker.
        case attack
    }

    let error: IdentityError
    let effect: Effect
    let metadata: GraphQLMetadata?
    /// Whether another attempt would bring the same.
    private(set) var isFinal = false

    init(_ error: IdentityError, _ effect: Effect, _ metadata: GraphQLMetadata? = nil) {
        self.error = error
        self.effect = effect
        self.metadata = metadata
    }

    init(_ error: HTTPTransportError, asking party: String) {
        let wrapped = IdentityError(error, asking: party)
        let effect: Effect =
            switch (error.code, error.phase) {
            case (.cancelled, _): .refused
            // Whatever it is called: something had left by then.
            case (_, .ambiguous): .unknown
            case (.insecureURL, _), (.invalidURL, _), (.addressRefused, _), (.invalidHeader, _), (.invalidMethod, _),
                (.tlsFailed, _), (.closed, _):
                .refused
            case (_, .notSent): .none
            }
        self.init(wrapped, effect)
        isFinal = error.code == .bodyTooLarge
    }

    /// The error as the caller of an operation gets it.
    ///
    /// - Parameter document: Where it may have changed something that must not be changed twice, the error says so.
    func error(for document: GraphQLDocument) -> IdentityError {
        guard effect == .unknown, document.kind == .mutation, error.kind != .cancelled else { return error }
        switch document.repetition {
        case .always, .once: return error
        case .afterReading, .never: break
        }
        return IdentityError(
            .retryLater,
            .outcomeUnknown,
            "Nobody knows whether \(ForeignName.shown(document.name)) was carried out: the answer is missing.",
            hint: "Do not send it again as it is. Read what it changes, compare, and send what is missing.",
            retryAfter: error.retryAfter,
            providerAnswer: error.providerAnswer,
            cause: error
        )
    }
}
