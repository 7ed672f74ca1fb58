package import IdentityCrypto

extension IdentityError {
    /// A tenant has as many sessions as it may have.
    package static var tenantFull: IdentityError {
        IdentityError(
            .retryLater,
            .storeFull,
            "The tenant has the maximum number of sessions.",
            hint:
                "Sessions that end or expire make room. If this happens often, raise maximumSessionsPerTenant in the store's configuration."
        )
    }

    /// As many tokens are marked as may be, and none has expired.
    package static var usedTokensFull: IdentityError {
        IdentityError(
            .retryLater,
            .storeFull,
            "The store has the maximum number of used tokens.",
            hint:
                "Used tokens that expire make room. If this happens often, raise maximumUsedTokens in the store's configuration."
        )
    }

    /// OpenSSL failed for a reason that the input does not explain.
    package static func sealingUnavailable(_ cause: CryptoError) -> IdentityError {
        IdentityError(
            .retryLater,
            .systemFailure,
            "OpenSSL could not seal or open a record.",
            hint: "Check that OpenSSL's default provider is installed and that the process has memory.",
            cause: cause
        )
    }
}
