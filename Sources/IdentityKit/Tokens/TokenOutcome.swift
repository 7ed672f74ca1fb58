/// The origin of a returned token.
public struct TokenOutcome: RawRepresentable, Hashable, Sendable {
    /// The outcome as text.
    public let rawValue: String

    /// An outcome with the given text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The stored token, or a newer one that the store could not save yet, was valid long enough, or the provider stated no expiry.
    public static let stored = Self(rawValue: "stored")
    /// The token was refreshed while it was still valid.
    public static let refreshedEarly = Self(rawValue: "refreshed_early")
    /// The token was refreshed after it had expired.
    public static let refreshedLate = Self(rawValue: "refreshed_late")
    /// Another task or process refreshed the token in the meantime.
    public static let waited = Self(rawValue: "waited")
    /// The token has not expired, but its refresh failed, or has to wait after a failure or until the store works.
    ///
    /// ``SessionTokens/reason`` has the error.
    public static let stillValid = Self(rawValue: "still_valid")
}
