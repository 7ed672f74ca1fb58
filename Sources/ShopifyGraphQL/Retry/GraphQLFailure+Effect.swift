internal import IdentityHTTP

extension GraphQLFailure {
    /// The effect of the attempt.
    enum Effect: Sendable, Equatable {
        /// None: the operation was not executed and may be sent again.
        case none
        /// Unknown: the operation may have been executed.
        case unknown
        /// The operation must not be sent again: it was rejected, it could not be sent, or its task was cancelled.
        case refused
        /// None: Shopify rejected the request as an attack.
        case attack
    }
}

extension GraphQLFailure.Effect {
    /// The effect of a request whose transport failed.
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

    /// The effect of a request whose response has a status other than 2xx.
    init(status: Int) {
        self =
            switch status {
            case 429: .none
            case 430: .attack
            // A gateway that timed out may have forwarded the request.
            case 408, 500...: .unknown
            default: .refused
            }
    }
}
