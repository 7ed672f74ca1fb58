package import IdentityHTTP

extension IdentityError {
    /// The code of any error, as observers see it.
    package static func code(of error: any Error) -> Code {
        wrapping(error).code
    }

    /// Any error as an `IdentityError`: what is none already is a cancellation, a transport's failure, or a fault inside.
    package static func wrapping(_ error: any Error) -> IdentityError {
        switch error {
        case let error as IdentityError: return error
        case let refusal as RefreshRefusal: return refusal.error
        case is CancellationError: return IdentityError(.cancelled, .cancelled, "The operation was cancelled.")
        case let error as HTTPTransportError: return IdentityError(error, asking: "The provider")
        default:
            return IdentityError(
                .retryLater,
                .systemFailure,
                "Something inside failed.",
                hint: "See the error's cause.",
                cause: error
            )
        }
    }

    /// A transport's failure, in words that name who was asked.
    package init(_ error: HTTPTransportError, asking party: String) {
        switch error.code {
        case .cancelled:
            self.init(.cancelled, .cancelled, "The operation was cancelled.", cause: error)
        case .insecureURL, .invalidURL, .addressRefused:
            self.init(
                .configuration,
                .configurationInvalid,
                "\(party) has an address that may not be used.",
                hint:
                    "\(error.message) For tests on one machine, \"allowsLoopbackHTTP\" permits http to a loopback address.",
                cause: error
            )
        case .tlsFailed:
            self.init(
                .retryLater,
                .providerUnavailable,
                "\(party) could not prove who it is (TLS).",
                hint: "Check the certificate, the host name and the trusted authorities.",
                cause: error
            )
        case .sendingRefused:
            self.init(
                .retryLater,
                .renewalBusy,
                "The request was not sent, because the session's lock was lost meanwhile.",
                hint: "The refresh token was not sent. Try again.",
                cause: error
            )
        case .bodyTooLarge, .headersTooLarge, .protocolViolation:
            self.init(
                .rejected,
                .unexpectedResponse,
                "\(party) sent an answer that is too large or not valid HTTP.",
                hint: "Look at what answers under this address.",
                cause: error
            )
        case .timedOut:
            self.init(
                .retryLater,
                .providerUnavailable,
                "\(party) did not answer in time.",
                hint: "Try again; if it goes on, check the provider's status and the network.",
                cause: error
            )
        default:
            self.init(
                .retryLater,
                .providerUnavailable,
                "\(party) cannot be reached.",
                hint: "Try again; if it goes on, check the provider's status and the network.",
                cause: error
            )
        }
    }
}
