package import IdentityHTTP

extension IdentityError {
    /// The code of any error, as events report it.
    package static func code(of error: any Error) -> Code {
        wrapping(error).code
    }

    /// Converts any error to an `IdentityError`.
    ///
    /// Cancellations and transport errors keep their meaning. Any other error becomes `system_failure` with the original as cause.
    package static func wrapping(_ error: any Error) -> IdentityError {
        switch error {
        case let error as IdentityError: return error
        case let refusal as RefreshRefusal: return refusal.error
        case is CancellationError: return cancellation()
        case let error as HTTPTransportError: return IdentityError(error, asking: "The provider")
        default:
            return IdentityError(
                .retryLater,
                .systemFailure,
                "An unexpected error occurred inside IdentityKit.",
                hint: "Read the error's cause.",
                cause: error
            )
        }
    }

    /// The error of a caller that cancelled its task.
    package static func cancellation(cause: (any Error)? = nil) -> IdentityError {
        IdentityError(
            .cancelled,
            .cancelled,
            "The operation was cancelled.",
            hint: "Call again if the result is still needed.",
            cause: cause
        )
    }

    /// Converts a transport error; `party` is the subject of the message, for example "The provider", and `host` the host of the request.
    package init(_ error: HTTPTransportError, asking party: String, at host: String? = nil) {
        let place = host.map { " at \($0)" } ?? ""
        switch error.code {
        case .resolutionFailed:
            self.init(
                .retryLater,
                .providerUnavailable,
                host.map { "\(party) could not be reached: the host name \($0) has no address." }
                    ?? "\(party) could not be reached: its host name has no address.",
                hint:
                    "Check the name in the configuration (shopDomain, issuer, host, endpoint or endpoints), then the name server of this machine.",
                cause: error
            )
        case .cancelled:
            self = .cancellation(cause: error)
        case .insecureURL, .invalidURL, .addressRefused:
            self.init(
                .configuration,
                .configurationInvalid,
                "\(party) has a URL to which the SDK does not send requests.",
                hint:
                    "\(error.message) Configure an https URL; for tests on one machine, set \"allowsLoopbackHTTP\": true to allow http to a loopback address.",
                cause: error
            )
        case .tlsFailed:
            self.init(
                .retryLater,
                .providerUnavailable,
                "\(party) could not be authenticated by TLS.",
                hint: "Check the server's certificate, its host name and the trusted certificate authorities.",
                cause: error
            )
        case .sendingRefused:
            self.init(
                .retryLater,
                .refreshBusy,
                "The refresh request was not sent, because this process lost the session's lock.",
                hint: "Try again. This request did not use the refresh token.",
                cause: error
            )
        case .bodyTooLarge, .headersTooLarge, .protocolViolation:
            self.init(
                .rejected,
                .unexpectedResponse,
                "\(party) sent a response that is too large or not valid HTTP.",
                hint: "Check which server responds at the configured URL.",
                cause: error
            )
        case .timedOut:
            self.init(
                .retryLater,
                .providerUnavailable,
                "\(party)\(place) did not respond in time.",
                hint: "Try again. If it keeps failing, check the provider's status page and the network.",
                cause: error
            )
        default:
            self.init(
                .retryLater,
                .providerUnavailable,
                "\(party)\(place) could not be reached.",
                hint: "Try again. If it keeps failing, check the provider's status page and the network.",
                cause: error
            )
        }
    }
}
