package import IdentityCrypto

extension IdentityError {
    /// The error when a tenant already has the maximum number of sessions.
    package static var tenantFull: IdentityError {
        IdentityError(
            .retryLater,
            .storeFull,
            "The tenant already has the maximum number of sessions.",
            hint: """
                Try again after a logout has removed a session, or after sweep() has removed expired ones. If this happens often, \
                increase maximumSessionsPerTenant where the app creates the store.
                """
        )
    }

    /// The error when a session with the same id is already stored.
    package static var sessionExists: IdentityError {
        IdentityError(
            .rejected,
            .storeFailed,
            "A session with this id is already stored.",
            hint:
                "Insert each session once. If SessionManager made the id, correct the environment's RandomSource: it repeats its bytes."
        )
    }

    /// The error when the maximum number of tokens is marked as used, and no mark has expired.
    package static var usedTokensFull: IdentityError {
        IdentityError(
            .retryLater,
            .storeFull,
            "The store already remembers the maximum number of used one-time tokens, such as logout tokens.",
            hint:
                "Try again after some of them have expired. If this happens often, increase maximumUsedTokens where the app creates the store."
        )
    }

    /// The error when an OpenSSL function fails although its input is correct.
    package static func sealingUnavailable(_ cause: CryptoError) -> IdentityError {
        IdentityError(
            .retryLater,
            .systemFailure,
            "OpenSSL could not encrypt, decrypt or hash data of a session or store, or could not make random bytes.",
            hint:
                "Check that openssl.cnf does not disable OpenSSL's default provider, and that the process has enough memory.",
            cause: cause
        )
    }
}
