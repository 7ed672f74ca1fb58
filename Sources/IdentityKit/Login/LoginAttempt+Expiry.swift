package import FoundationEssentials

extension LoginAttempt {
    package func checkExpiry(at now: Date) throws(IdentityError) {
        guard expiresAt > now else {
            throw IdentityError(
                .rejected,
                .attemptExpired,
                "The callback arrived after its login had expired.",
                hint: """
                    Start the login again. If buyers often need more time and the app uses SessionManager, increase attemptLifetime of its \
                    Configuration.
                    """
            )
        }
    }
}
