internal import IdentityHTTP

/// What a failed renewal means for the session: whether its refresh token may be spent, and who is to be left alone for a while.
///
/// Only what a provider says in the field `error` counts, never its description, never a part of a word, and never a status
/// alone (RFC 6749 section 5.2).
enum RefreshFailure: Sendable, Equatable {
    /// No byte reached the provider.
    case notSent
    /// The provider may have rotated the token: no answer, half an answer, or something else in its place.
    case ambiguous
    /// The provider asks for a pause (429, 503).
    case throttled
    /// The provider did nothing, and another attempt may succeed.
    case retryable
    /// The provider refuses this client, whichever the session.
    case clientRefused
    /// The refresh token is dead: exactly `invalid_grant`.
    case dead
    /// Anything else: the session stays as it is.
    case refused

    init(_ error: IdentityError) {
        if let cause = error.cause as? HTTPTransportError {
            // The lock's fault, which says nothing about the provider.
            guard cause.code != .sendingRefused else {
                self = .retryable
                return
            }
            self = cause.phase == .ambiguous ? .ambiguous : .notSent
            return
        }
        switch error.code {
        case .invalidGrant where error.kind == .signInAgain: self = .dead
        case .invalidClient, .unauthorizedClient, .unsupportedGrantType, .invalidScope, .originRefused:
            self = .clientRefused
        // An answer of success that no token can be read from.
        case .tokenResponseInvalid: self = .ambiguous
        case .cancelled: self = .ambiguous
        default: self = Self(unnamed: error)
        }
    }

    private init(unnamed error: IdentityError) {
        guard let answer = error.providerAnswer, let status = answer.status else {
            self = error.kind == .retryLater ? .retryable : .refused
            return
        }
        let name = answer.error ?? ""
        if status == 429 || status == 503 {
            self = .throttled
        } else if status >= 500 {
            // A gateway, or a server that broke down half way, in whatever form it says so; only OAuth's own words are an answer.
            self = Self.namedRetries.contains(name) ? .retryable : .ambiguous
        } else if name.isEmpty, status == 401 || status < 300 {
            // A page in place of an answer; Shopify's 401 without a code.
            self = .ambiguous
        } else {
            self = error.kind == .retryLater ? .retryable : .refused
        }
    }

    private static let namedRetries: Set<String> = ["server_error", "temporarily_unavailable", "invalid_request"]

    /// Whether the token may be spent although no new one came.
    var leavesDoubt: Bool { self == .ambiguous }

    /// Whether the failure is the provider's or the client's as a whole, and other sessions would fare no better.
    var concernsProvider: Bool {
        switch self {
        case .notSent, .ambiguous, .throttled, .clientRefused: true
        case .retryable, .dead, .refused: false
        }
    }
}
