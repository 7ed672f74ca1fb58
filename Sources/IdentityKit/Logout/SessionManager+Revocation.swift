extension SessionManager {
    /// How many sessions' tokens are revoked at the same time: a buyer with many sessions must not cost the provider a storm.
    private static let concurrentRevocations = 8

    /// Has the tokens of ended sessions revoked, some at a time, each within the limit.
    ///
    /// - Returns: What went wrong, in the order of the sessions; nil for each where nothing did.
    func revoke(_ ended: [EndedSession]) async -> [IdentityError?] {
        await withTaskGroup(of: (Int, IdentityError?).self) { group in
            var problems: [IdentityError?] = ended.map { _ in nil }
            for (index, session) in ended.enumerated() {
                if index >= Self.concurrentRevocations, let (done, problem) = await group.next() {
                    problems[done] = problem
                }
                group.addTask { [self] in (index, await revocation.revoke(session.tokens, of: session.session)) }
            }
            for await (done, problem) in group { problems[done] = problem }
            return problems
        }
    }
}
