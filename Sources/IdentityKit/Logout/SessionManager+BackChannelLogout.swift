extension SessionManager {
    /// Executes a provider's request to end sessions (OpenID Connect Back-Channel Logout 1.0).
    ///
    /// Call it in the handler of the provider's back-channel logout `POST`, and send the result's status, headers and body. The
    /// request needs no further authentication: a signed token identifies the ended sessions, and each token is accepted once.
    ///
    /// - A token that names only a session of the provider (`sid`) ends the sessions that began in that provider session.
    /// - A token that also names a buyer (`sub`) ends the buyer's sessions with this `sid`, and those whose `sid` is unknown.
    /// - A token that names only a buyer ends all sessions of the buyer.
    ///
    /// Only sessions of this provider, of its tenant and of the token's issuer end; ``ProviderDescriptor/equivalentIssuers`` count as one
    /// issuer.
    ///
    /// - Parameters:
    ///   - name: The provider whose address received the request. Give each provider its own address.
    ///   - body: The unchanged body of the request; more than 16 KiB are refused.
    ///   - contentType: The request's `Content-Type`.
    /// - Returns: The response to send, and the sessions that were ended.
    public func backChannelLogout(
        provider name: String,
        body: [UInt8],
        contentType: String?
    ) async -> BackChannelLogoutResult {
        await backChannelLogouts.logout(provider: name, body: body, contentType: contentType)
    }
}
