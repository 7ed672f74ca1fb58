internal import IdentityHTTP

/// A failed refresh: the error and its meaning for the session.
///
/// Only ``Kind/invalidGrant`` ends a session. In OAuth, this kind stands for the `error` member `invalid_grant` (RFC 6749 section 5.2). An
/// error description or an HTTP status alone never ends a session.
public struct RefreshRefusal: Error, Sendable {
    /// The meaning of a failed refresh for the session.
    public enum Kind: String, Sendable, CaseIterable {
        /// The refresh token was not used, and another attempt may succeed: no connection, or a temporary error.
        case transient
        /// The refresh token was not used, and the provider asks for a pause (429, 503).
        case throttled
        /// No session can be refreshed at the provider until the cause is corrected: for example, the provider rejects this client or this
        /// machine.
        case configuration
        /// The provider no longer accepts the refresh token (`invalid_grant`).
        ///
        /// The session continues if another process has saved newer tokens, or a response that may contain newer tokens. If not, the
        /// session ends.
        case invalidGrant = "invalid_grant"
        /// The provider may have used the refresh token, for example because no complete response arrived.
        ///
        /// The kind also applies to a redirect, to an HTML page with a success status, and to an error that does not say what happened.
        case inDoubt = "in_doubt"
        /// The provider rejected the refresh for any other reason. The session does not end.
        case rejected
    }

    /// The meaning for the session.
    public let kind: Kind
    /// The error for the caller.
    public let error: IdentityError

    /// Creates a refusal of a known kind.
    public init(_ kind: Kind, _ error: IdentityError) {
        self.kind = kind
        self.error = error
    }

    /// Whether the failure probably concerns all sessions at the provider, not only this one.
    package var concernsProvider: Bool {
        switch kind {
        case .throttled, .configuration, .inDoubt: true
        case .transient, .invalidGrant, .rejected: error.code == .providerUnavailable
        }
    }
}

extension RefreshRefusal {
    /// Classifies an error of a token request by the table in `Documentation/Operating/Refresh.md`, "What a response means".
    ///
    /// An error of a type that the SDK does not know, for example of an HTTP library, becomes ``Kind/inDoubt``, because the request may
    /// have been sent. ``IdentityError/Code/providerUnavailable`` also becomes ``Kind/inDoubt`` if it has neither a status nor an
    /// `HTTPTransportError` as cause.
    ///
    /// - Parameter error: An error of the transport, or an ``IdentityError`` with the token endpoint's error response in
    ///   ``IdentityError/providerResponse``. A ``RefreshRefusal`` keeps its kind and its error.
    public init(_ error: any Error) {
        switch error {
        case let refusal as RefreshRefusal: self = refusal
        case is IdentityError, is HTTPTransportError, is CancellationError:
            let error = IdentityError.wrapping(error)
            self.init(Self.kind(of: error), error)
        default: self.init(.inDoubt, .wrapping(error))
        }
    }

    private static func kind(of error: IdentityError) -> Kind {
        if let cause = error.cause as? HTTPTransportError {
            if cause.phase == .ambiguous { return .inDoubt }
            return error.kind == .configuration ? .configuration : .transient
        }
        switch error.code {
        case .invalidGrant where error.kind == .signInAgain: return .invalidGrant
        case .invalidClient, .unauthorizedClient, .unsupportedGrantType, .invalidScope, .originRefused:
            return .configuration
        // A success response without a readable token, or a cancelled request: in both cases, the provider may have used the refresh token.
        case .tokenResponseInvalid, .cancelled: return .inDoubt
        // Some providers refresh with a GraphQL mutation, which may have been executed. Status 503 requests a pause instead (see below).
        case .outcomeUnknown where error.providerResponse?.status != 503: return .inDoubt
        // A provider that the app implements does not always say whether it sent the request.
        case .providerUnavailable where error.providerResponse?.status == nil: return .inDoubt
        default: break
        }
        let otherwise: Kind = error.kind == .retryLater ? .transient : .rejected
        guard let response = error.providerResponse, let status = response.status else { return otherwise }
        let name = response.error ?? ""
        switch status {
        case 429, 503: return .throttled
        // The provider blocks this client or this machine, not one session.
        case 403 where error.kind == .configuration: return .configuration
        // The server may have processed the request before it redirected.
        case 300..<400: return .inDoubt
        // The server may have used the refresh token before it failed. Only the errors in `retriedErrors` mean that it was not used.
        case 500...: return retriedErrors.contains(name) ? .transient : .inDoubt
        // The refresh token may have been used if the server sends an HTML page with a success status, or a 401 without an OAuth error.
        // Shopify sends such a 401.
        case 401, ..<300: return name.isEmpty ? .inDoubt : otherwise
        default: return otherwise
        }
    }

    private static let retriedErrors: Set<String> = ["server_error", "temporarily_unavailable", "invalid_request"]
}
