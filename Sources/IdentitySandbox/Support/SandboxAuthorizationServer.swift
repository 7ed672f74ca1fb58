/// What every provider of the sandbox that issues refresh tokens can be told while it runs.
package protocol SandboxAuthorizationServer: SandboxService {
    /// Sets the lifetime of access tokens that are issued from now on.
    func setAccessTokenLifetime(_ lifetime: Duration)

    /// Expires all access tokens; a refresh still works.
    func expireAccessTokens()

    /// Revokes all tokens.
    func revokeAll()

    /// Revokes all tokens of a buyer.
    func revokeTokens(ofBuyer email: String)

    /// Ends all sessions of a buyer.
    func endSessions(ofBuyer email: String) async

    /// Signs with a new key.
    func rotateSigningKey(keepingOld keepsOld: Bool)
}

extension SandboxShopify: SandboxAuthorizationServer {}
extension SandboxBolt: SandboxAuthorizationServer {}
extension SandboxOpenID: SandboxAuthorizationServer {}
