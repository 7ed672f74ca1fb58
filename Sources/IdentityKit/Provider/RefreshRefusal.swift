internal import IdentityHTTP

/// Why a provider gave no new tokens for a refresh token, and what that means for the session.
///
/// Only the `error` member of a token endpoint's answer counts, never its description, never a part of a word, and never a status
/// alone (RFC 6749 section 5.2).
public struct RefreshRefusal: Error, Sendable {
    /// What a refusal means.
    public enum Kind: String, Sendable, CaseIterable {
        /// The refresh token was not used, and another attempt may succeed: no connection, or an answer that says "not now".
        case transient
        /// The refresh token was not used, and the provider asks for a pause (429, 503).
        case throttled
        /// The provider refuses this client, whichever the session.
        case configuration
        /// The provider no longer accepts the refresh token: exactly `invalid_grant`. The session ends.
        case invalidGrant = "invalid_grant"
        /// The provider may have used the refresh token: no answer, half an answer, or something else in its place.
        case inDoubt = "in_doubt"
        /// The provider refused for any other reason. The session stays as it is.
        case rejected
    }

    /// What it means for the session.
    public let kind: Kind
    /// What the caller gets.
    public let error: IdentityError

    /// Creates a refusal of a kind that the provider knows.
    public init(_ kind: Kind, _ error: IdentityError) {
        self.kind = kind
        self.error = error
    }

    /// Creates a refusal for an error of a token request, by the table in `Documentation/Operating/Renewal.md`, "What an
    /// answer means".
    ///
    /// - Parameter error: An error of the transport, or an ``IdentityError`` with what the token endpoint answered in
    ///   ``IdentityError/providerAnswer``.
    public init(_ error: any Error) {
        if let refusal = error as? RefreshRefusal {
            self = refusal
        } else {
            let error = IdentityError.wrapping(error)
            self.init(Self.kind(of: error), error)
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
        // A successful answer that no token can be read from.
        case .tokenResponseInvalid, .cancelled: return .inDoubt
        default: break
        }
        let otherwise: Kind = error.kind == .retryLater ? .transient : .rejected
        guard let answer = error.providerAnswer, let status = answer.status else { return otherwise }
        let name = answer.error ?? ""
        switch status {
        case 429, 503: return .throttled
        // A gateway, or a server that failed half way, in whatever form it says so; only the errors of OAuth are an answer.
        case 500...: return retriedErrors.contains(name) ? .transient : .inDoubt
        // A page in place of an answer; Shopify's 401 without a code.
        case 401, ..<300: return name.isEmpty ? .inDoubt : otherwise
        default: return otherwise
        }
    }

    private static let retriedErrors: Set<String> = ["server_error", "temporarily_unavailable", "invalid_request"]

    /// Whether the provider as a whole failed, so that other sessions would fare no better.
    package var concernsProvider: Bool {
        switch kind {
        case .throttled, .configuration, .inDoubt: true
        case .transient, .invalidGrant, .rejected: error.code == .providerUnavailable
        }
    }
}
