extension RenewalCoordinator {
    /// The tokens of a stored answer; nil when the answer contains no token, which is the only reason to send the old refresh token
    /// again.
    ///
    /// - Throws: `IdentityError` when the answer may contain tokens and cannot be accepted, for now or for good.
    func judged(_ answer: RefreshAnswer, of tokens: TokenSet, _ provider: String) async throws -> TokenSet? {
        guard let journaling = try providers.provider(named: provider) as? any JournaledRefreshing else {
            throw IdentityError.unreadableAnswer(of: provider)
        }
        do {
            return try await judge(answer, of: tokens, at: journaling)
        } catch let unjudged as UnjudgedAnswer {
            throw unjudged.error
        } catch {
            return nil
        }
    }

    /// The same, and observers hear of an answer that cannot be accepted: once, not at each repair.
    func judgedAndReported(
        _ answer: RefreshAnswer,
        _ stored: StoredSession,
        _ payload: SessionPayload
    ) async throws -> TokenSet? {
        do {
            return try await judged(answer, of: payload.tokens, stored.provider)
        } catch {
            let code = IdentityError.code(of: error)
            if reportedAnswers.insert(code, of: answer, for: stored.id) {
                events.emit(.renewalFailed(code), provider: stored.provider, session: stored.id)
            }
            throw error
        }
    }
}
