package import FoundationEssentials

extension LoginAttempt {
    /// Throws `IdentityError` with code `attempt_expired` if the login attempt has expired.
    package func checkExpiry(at now: Date) throws(IdentityError) {
        guard expiresAt > now else {
            throw IdentityError(
                .rejected,
                .attemptExpired,
                "The login took too long.",
                hint: "Start the login again."
            )
        }
    }
}
