package import IdentityCrypto

extension IdentityError {
    /// The error when a tenant already has the maximum number of sessions.
    package static var tenantFull: IdentityError {
        IdentityError(
            .retryLater,
            .storeFull,
            "The tenant already has the maximum number of sessions.",
            hint:
                "Try again after other sessions have ended or expired. If this happens often, increase maximumSessionsPerTenant in the store's configuration."
        )
    }

    /// The error when a session with the same id is already stored.
    package static var sessionExists: IdentityError {
        IdentityError(
            .rejected,
            .storeFailed,
            "A session with this id is already stored.",
            hint: "Use the ids that SessionManager creates, and insert each session once."
        )
    }

    /// The error when the maximum number of tokens is marked as used, and no mark has expired.
    package static var usedTokensFull: IdentityError {
        IdentityError(
            .retryLater,
            .storeFull,
            "The store already remembers the maximum number of used one-time tokens, such as logout tokens.",
            hint:
                "Try again after some of them have expired. If this happens often, increase maximumUsedTokens in the store's configuration."
        )
    }

    /// The error when OpenSSL fails for another reason than a wrong input.
    package static func sealingUnavailable(_ cause: CryptoError) -> IdentityError {
        IdentityError(
            .retryLater,
            .systemFailure,
            "OpenSSL could not encrypt or decrypt a record.",
            hint: "Check that OpenSSL's default provider is installed and that the process has enough memory.",
            cause: cause
        )
    }
}
