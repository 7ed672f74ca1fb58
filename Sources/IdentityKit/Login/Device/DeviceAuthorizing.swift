/// A provider that supports the device authorization grant (RFC 8628).
///
/// ``SessionManager/deviceLogin(_:options:prompt:)`` sends one poll of a login at a time; a provider only performs single requests.
public protocol DeviceAuthorizing: Sendable {
    /// Requests a code to show (RFC 8628 section 3.1).
    ///
    /// - Throws: ``IdentityError``, with code ``IdentityError/Code/unsupportedByProvider`` when the provider does not support the grant.
    func deviceAuthorization(_ options: LoginOptions) async throws -> DeviceAuthorization

    /// Asks the provider once whether the buyer has signed in with the code (RFC 8628 section 3.4).
    ///
    /// - Returns: The state of the login. After an outage or a timeout, return ``DevicePoll/unanswered(_:)``: ``SessionManager`` polls
    ///   again until the code expires.
    /// - Throws: ``IdentityError`` when the login has failed, for example because the buyer refused or the code expired.
    func poll(_ authorization: DeviceAuthorization) async throws -> DevicePoll
}

/// The result of one poll (RFC 8628 section 3.5).
public enum DevicePoll: Sendable {
    /// The buyer has not decided yet (`authorization_pending`).
    case pending
    /// The buyer has not decided yet, and the interval must grow by five seconds (`slow_down`).
    case slowDown
    /// The poll failed because of an outage or a timeout; the login continues.
    case unanswered(IdentityError)
    /// The buyer signed in.
    case authorized(TokenSet)
}
