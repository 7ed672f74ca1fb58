/// A provider at which a buyer can sign in on another device: a program without a browser shows a code, the buyer enters it
/// on a phone or computer (RFC 8628).
///
/// ``SessionManager/deviceLogin(_:options:prompt:)`` and ``LoginFlow/init(provider:sessions:devicePrompt:)`` do the waiting: a
/// provider only says what one request came to.
public protocol DeviceAuthorizing: Sendable {
    /// Asks the provider for a code to show (RFC 8628 section 3.1).
    ///
    /// - Throws: ``IdentityError``, with code ``IdentityError/Code/unsupportedByProvider`` where the provider does not offer it.
    func deviceAuthorization(_ options: LoginOptions) async throws -> DeviceAuthorization

    /// Asks once whether the buyer has entered the code (RFC 8628 section 3.4); the caller keeps the interval and asks one at
    /// a time.
    ///
    /// - Throws: ``IdentityError`` when the login has ended without tokens. What waiting can cure is no error but
    ///   ``DevicePoll/unanswered(_:)``, as long as the code is not spent.
    func poll(_ authorization: DeviceAuthorization) async throws -> DevicePoll
}

/// What one poll came to (RFC 8628 section 3.5).
public enum DevicePoll: Sendable {
    /// The buyer has not decided yet (`authorization_pending`).
    case pending
    /// The buyer has not decided yet, and the interval must grow by five seconds (`slow_down`).
    case slowDown
    /// There was no answer that decides anything: an outage or a time-out, which does not end the login.
    case unanswered(IdentityError)
    /// The buyer signed in.
    case authorized(TokenSet)
}
