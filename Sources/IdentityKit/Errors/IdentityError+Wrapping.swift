package import IdentityHTTP

extension IdentityError {
    package static func code(of error: any Error) -> Code {
        wrapping(error).code
    }

    package static func wrapping(_ error: any Error) -> IdentityError {
        switch error {
        case let error as IdentityError: return error
        case let refusal as RefreshRefusal: return refusal.error
        case is CancellationError: return cancellation()
        case let error as HTTPTransportError: return IdentityError(error, asking: "The server")
        default:
            return IdentityError(
                .retryLater,
                .systemFailure,
                "An operation failed with an error of another type than IdentityError.",
                hint: "Read the error's cause: it comes from the SDK, or from code of the app that the SDK called.",
                cause: error
            )
        }
    }

    package static func cancellation(cause: (any Error)? = nil) -> IdentityError {
        IdentityError(
            .cancelled,
            .cancelled,
            "The operation was cancelled.",
            hint: "If its result is still needed, check what the operation has already done, then begin it again.",
            cause: cause
        )
    }

    private static let outageHint = """
        Try again. If a login failed, start the login again. If this error continues, check this machine's network, and the status \
        page of the server's operator.
        """

    /// Converts a transport error; `party` is the subject of the message, for example "The provider", and `host` the host of the request.
    package init(_ error: HTTPTransportError, asking party: String, at host: String? = nil) {
        guard error.code != .cancelled else {
            self = .cancellation(cause: error)
            return
        }
        let (kind, code): (Kind, Code) =
            switch error.code {
            case .invalidURL, .insecureURL, .addressRefused, .invalidHeader, .invalidMethod:
                (.configuration, .configurationInvalid)
            case .bodyTooLarge, .headersTooLarge, .protocolViolation: (.rejected, .unexpectedResponse)
            case .sendingRefused: (.retryLater, .refreshBusy)
            default: (.retryLater, .providerUnavailable)
            }
        let (message, hint) = Self.messageAndHint(of: error, party, host)
        self.init(kind, code, message, hint: hint, cause: error)
    }

    private static func messageAndHint(
        of error: HTTPTransportError,
        _ party: String,
        _ host: String?
    ) -> (String, String) {
        let server = party + (host.map { " at \($0)" } ?? "")
        return switch error.code {
        case .resolutionFailed:
            (
                host.map { "\(party) could not be reached: the host \($0) or the proxy's host could not be resolved." }
                    ?? "\(party) could not be reached: its host or the proxy's host could not be resolved.",
                """
                Check the host name where it is set: in the configuration (for example shopDomain, issuer, domain, server, host, endpoint \
                or endpoints), in the provider's metadata, or in the URL of the call. Then check this machine's name server (DNS). If the \
                transport uses a proxy, check the proxy's host name too.
                """
            )
        case .invalidURL:
            (
                "\(server) has a URL that the HTTP transport cannot use.",
                """
                Read the error's cause. Then correct the URL in the configuration or in the call. If the URL comes from the provider's \
                metadata, tell the provider.
                """
            )
        case .insecureURL:
            (
                "\(server) has a URL that is not https.",
                """
                Use an https URL. For tests on one machine, set allowsLoopbackHTTP to true, and use http with 127.0.0.1 or [::1]. \
                \(error.message)
                """
            )
        case .addressRefused:
            (
                "\(server) has an address to which the SDK does not send requests.",
                """
                If the server belongs to your network, configure the server's URL, for example in endpoints of the provider. Otherwise \
                ask the server's operator for a public address. A URL that is not configured, for example from metadata or a redirect, \
                must lead to a public address (or, with allowsLoopbackHTTP, to a loopback address). With a proxy, the SDK checks the \
                proxy's address. \(error.message)
                """
            )
        case .tlsFailed:
            (
                "\(server) could not be reached over TLS.",
                """
                Check the server's certificate, host name and TLS version. If the transport uses an https proxy, check the proxy's too. \
                Then check this machine's clock and trusted certificate authorities.
                """
            )
        case .sendingRefused:
            (
                "A request of the refresh was not sent, because this process may have lost the session's lock.",
                "Try again. The unsent request did not use the refresh token."
            )
        case .bodyTooLarge, .headersTooLarge:
            (
                "\(server) sent a response that is too large.",
                "Check which server responds at the request's URL. If the response depends on the request, request less data at once."
            )
        case .protocolViolation:
            (
                "\(server) sent a response that is not valid HTTP, or that the transport does not support.",
                "Check which server, or which proxy, responds at the request's URL."
            )
        case .timedOut: ("\(server) did not send a complete response in time.", outageHint)
        case .connectionLost:
            ("\(server) did not send a complete response before the connection ended.", outageHint)
        case .invalidHeader, .invalidMethod:
            (
                "A header or the method of an HTTP message is not valid, so the message was not sent.",
                "Correct the header or the method, for example the environment's userAgent. \(error.message)"
            )
        case .closed:
            (
                "\(server) could not respond, because this process closed the HTTP transport.",
                "Close the HTTP transport only after the last request. For new requests, create another transport."
            )
        case .internalFailure:
            (
                "The HTTP transport of this process failed.",
                """
                Try again. If this error continues, read the error's cause. Then check this machine's memory, and the process's limits \
                (ulimit -a).
                """
            )
        default: ("\(server) could not be reached.", outageHint)
        }
    }
}
