/// How a call obtained the token that it returned.
public struct TokenOutcome: RawRepresentable, Hashable, Sendable {
    /// The outcome as text.
    public let rawValue: String

    /// Creates an outcome with the given text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The token was returned without a refresh, because it is valid long enough or the provider stated no expiry.
    ///
    /// The token comes from the store, or from memory if the store could not save it yet.
    public static let stored = Self(rawValue: "stored")
    /// The token was refreshed while it was still valid.
    public static let refreshedEarly = Self(rawValue: "refreshed_early")
    /// The token was refreshed after it had expired.
    public static let refreshedLate = Self(rawValue: "refreshed_late")
    /// Another task or process refreshed the token before this call could.
    public static let waited = Self(rawValue: "waited")
    /// The token has not expired, but it cannot be refreshed now.
    ///
    /// For example, the refresh failed or takes too long, refreshes are paused after earlier failures, or the store does not work.
    /// ``SessionTokens/reason`` contains the error.
    public static let stillValid = Self(rawValue: "still_valid")
}
