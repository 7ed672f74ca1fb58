extension SessionManager {
    /// How many sessions' tokens are revoked at the same time, so that a buyer with many sessions does not flood the provider.
    private static let concurrentRevocations = 8

    /// Revokes the tokens of ended sessions, at most ``concurrentRevocations`` at a time.
    ///
    /// - Returns: An error or nil for each session, in the order of the sessions.
    func revoke(_ ended: [EndedSession]) async -> [IdentityError?] {
        await withTaskGroup(of: (Int, IdentityError?).self) { group in
            var problems: [IdentityError?] = ended.map { _ in nil }
            for (index, session) in ended.enumerated() {
                if index >= Self.concurrentRevocations, let (done, problem) = await group.next() {
                    problems[done] = problem
                }
                group.addTask { [self] in
                    guard let tokens = session.tokens else { return (index, nil) }
                    return (index, await revocation.revoke(tokens, of: session.session))
                }
            }
            for await (done, problem) in group { problems[done] = problem }
            return problems
        }
    }
}
