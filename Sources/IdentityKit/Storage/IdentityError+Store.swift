package import IdentityCrypto

extension IdentityError {
    package static var tenantFull: IdentityError {
        IdentityError(
            .retryLater,
            .storeFull,
            "The tenant already has the maximum number of sessions.",
            hint: """
                Call sweep(), which removes expired sessions, or wait until a logout removes a session. Then try again. If a login \
                failed, start the login again. If this error happens often, increase maximumSessionsPerTenant where the app creates \
                the store.
                """
        )
    }

    package static var sessionExists: IdentityError {
        IdentityError(
            .rejected,
            .storeFailed,
            "A session with this id is already stored.",
            hint: """
                If SessionManager made the session's id, correct the environment's RandomSource, which repeats its bytes. Otherwise \
                insert each session only once.
                """
        )
    }

    package static var usedTokensFull: IdentityError {
        IdentityError(
            .retryLater,
            .storeFull,
            "The store already remembers the maximum number of used one-time tokens, such as logout tokens.",
            hint: """
                Try again after some of these tokens have expired. If this error happens often, increase maximumUsedTokens where the app \
                creates the store.
                """
        )
    }

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

    /// Whether the store threw the error because a record is damaged, or because this process does not have the record's key.
    ///
    /// Any other error, such as an outage of the store or exhausted memory in OpenSSL, says nothing about the record. After such an error,
    /// a store must not omit the record from a list, count the record as damaged or move it to quarantine.
    public var concernsRecord: Bool { code == .storeCorrupt || code == .storeKeyMismatch }
}
