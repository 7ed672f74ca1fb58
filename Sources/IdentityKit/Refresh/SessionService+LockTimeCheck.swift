extension SessionService {
    /// Throws if a request may take longer than the store guarantees the lock: another process could then send the same refresh token.
    func checkLockTime(of provider: any IdentityProvider) throws(IdentityError) {
        guard let limit = store.guaranteedLockDuration, let timeout = provider.descriptor.timeout,
            timeout > limit
        else { return }
        // Rounded down, so that the printed time limit passes this check.
        let seconds = (limit.timeInterval * 1_000).rounded(.down) / 1_000
        throw IdentityError(
            configuration: """
                The timeout of provider \(provider.descriptor.name) is \(timeout.timeInterval) seconds, but the store guarantees \
                a session's lock for \(seconds) seconds only.
                """,
            hint: "Set the timeout of the provider to \(seconds) seconds or less."
                + (limit < .seconds(10)
                    ? " With PostgresStore, set `locking` of its Configuration to .lease(.seconds(15)) for a timeout of up to 10 seconds."
                    : "")
        )
    }
}
