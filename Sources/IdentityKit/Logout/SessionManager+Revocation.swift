extension SessionManager {
    /// Has the tokens of ended sessions revoked, all at the same time and within one limit.
    ///
    /// - Returns: What went wrong, in the order of the sessions; nil for each where nothing did.
    func revoke(_ ended: [EndedSession]) async -> [IdentityError?] {
        await withTaskGroup(of: (Int, IdentityError?).self) { group in
            for (index, session) in ended.enumerated() {
                group.addTask { [self] in (index, await revocation.revoke(session.tokens, of: session.session)) }
            }
            return await group.reduce(into: ended.map { _ in nil }) { $0[$1.0] = $1.1 }
        }
    }
}
