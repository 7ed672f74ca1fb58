extension TokenRevocation {
    /// Runs the last steps of a login; if they fail, the tokens are revoked, because no session has them.
    ///
    /// `kept` is the buyer whose session stays if a step-up fails; tokens of this buyer are not revoked. It is nil for an ordinary login.
    func revokingOnFailure(
        _ tokens: TokenSet,
        of provider: ProviderDescriptor,
        keeping kept: Buyer? = nil,
        _ steps: () async throws -> Session
    ) async throws -> Session {
        do {
            return try await steps()
        } catch {
            await background.run { [self] in await revokeAfterFailedLogin(tokens, of: provider, keeping: kept) }
            throw error
        }
    }
}
