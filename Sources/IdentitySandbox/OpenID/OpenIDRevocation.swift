internal import Synchronization

extension SandboxOpenID {
    /// RFC 7009: 200 for a revoked token and for an unknown one.
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
