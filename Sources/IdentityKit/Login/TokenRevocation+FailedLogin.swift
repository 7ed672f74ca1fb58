extension TokenRevocation {
    /// Runs the last steps of a login; if they fail, the tokens are revoked, because no session has them.
    func revokingOnFailure(
        _ tokens: TokenSet,
        of provider: ProviderDescriptor,
        _ steps: () async throws -> Session
    ) async throws -> Session {
        do {
            return try await steps()
        } catch {
            await outlivingCaller { [self] in await drop(tokens, of: provider.name) }
            throw error
        }
    }
}
