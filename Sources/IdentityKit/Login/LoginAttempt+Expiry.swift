package import FoundationEssentials

extension LoginAttempt {
    /// Checks that the attempt has not expired.
    ///
    /// - Throws: `IdentityError` with code `attempt_expired`.
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
