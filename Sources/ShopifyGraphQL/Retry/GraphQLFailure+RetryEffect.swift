internal import IdentityHTTP

extension GraphQLFailure {
    /// Whether Shopify may have executed the operation, and whether it may be sent again.
    enum Effect: Sendable, Equatable {
        /// Shopify did not execute the operation, and the operation may be sent again.
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
            // The request may have been sent before the error, so Shopify may have executed the operation.
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
