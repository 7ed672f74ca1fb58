/// Checks that a request that sends a refresh token is over while the session's lock is certainly held.
struct ProviderTimeouts: Sendable {
    let providers: ProviderRegistry
    let store: any SessionStore

    /// Checks every provider.
    ///
    /// - Throws: `IdentityError` with code ``IdentityError/Code/configurationInvalid`` that names the provider.
    func check() throws(IdentityError) {
        for provider in providers.all { try check(provider) }
    }

    /// Checks one provider.
    func check(_ provider: any IdentityProvider) throws(IdentityError) {
        guard let limit = store.guaranteedHold, let timeout = provider.descriptor.timeout, timeout > limit else {
            return
        }
        let seconds = limit.timeInterval
        throw IdentityError(
            .configuration,
            .configurationInvalid,
            """
            The timeout of provider \(provider.descriptor.name) (\(timeout.timeInterval) seconds) is longer than a session's \
            lock is certainly held (\(seconds) seconds).
            """,
            hint: "Set the provider's timeout to \(seconds) seconds or less, or let the store's locks last longer."
        )
    }
}
