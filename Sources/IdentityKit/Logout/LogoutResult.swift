public import FoundationEssentials
public import IdentityHTTP

/// What a logout did and what is left to do.
public struct LogoutResult: Sendable {
    /// The session that ended.
    public let session: Session
    /// Where to send the buyer's browser to end the provider's own session; nil when the provider has no such page.
    public let browserURL: HTTPURL?
    /// What the browser's return will be checked against; nil when ``browserURL`` holds no `state`.
    public let awaitedReturn: AwaitedReturn?
    /// What could not be done; the session is gone all the same.
    public let problems: [IdentityError]

    /// A logout that waits for the browser to come back from the provider's logout page.
    public struct AwaitedReturn: Sendable {
        /// The value of a cookie to set in the browser (`HttpOnly`, `Secure`, `SameSite=Lax`), and to hand to
        /// ``SessionManager/completeLogout(_:browserBinding:provider:)``.
        public let browserBinding: Secret
        /// When the return stops being awaited.
        public let expiresAt: Date
    }
}

/// How a browser came back from a provider's logout page.
///
/// The session itself ended before the browser was sent there.
public struct CompletedLogout: Sendable {
    /// Whether the return brought the `state` of this browser's logout.
    ///
    /// False where it brought none: the logout here is done all the same, but nothing shows that the provider's page was ever
    /// reached. Send the buyer to a page that is right for anybody.
    public let isConfirmed: Bool
    /// The provider that the browser came back from, where the return is confirmed.
    public let provider: String?
    /// The path of the app to go on to, from ``LogoutOptions/returnPath``, where the return is confirmed.
    public let returnPath: String?
}
