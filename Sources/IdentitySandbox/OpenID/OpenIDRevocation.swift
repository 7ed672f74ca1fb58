internal import Synchronization

extension SandboxOpenID {
    /// The revocation endpoint: returns 200 for a revoked token and for an unknown one (RFC 7009 section 2.2).
    func revoke(_ call: SandboxCall) -> SandboxResponse {
        respond(to: call) { () throws(OAuthRefusal) in
            let (form, client) = try authenticate(call.request)
            let token = try form.required("token")
            tokens.state.withLock { $0.ledger.revoke(token: token, of: client.clientID) }
            journal.count(\.revocations)
            return SandboxResponse(status: 200, headers: [("Cache-Control", "no-store")])
        }
    }
}
