public import IdentityKit

extension IdentityError.Code {
    /// A record is larger than the store's maximum, which is sixteen times its slot size, or a tenant's name is longer than 1,536 bytes.
    public static let storeRecordTooLarge = Self(rawValue: "store_record_too_large")
}

extension IdentityError {
    package static var storeClosed: IdentityError {
        IdentityError(
            .retryLater,
            .storeFailed,
            "The store is closed.",
            hint: "Close the store only after the last call that needs the store. For new calls, open a new store."
        )
    }

    package static func damagedRecord(_ reason: String, cause: (any Error)? = nil) -> IdentityError {
        IdentityError(
            storeCorrupt: "A stored record is damaged: \(reason).",
            hint: """
                Count the damaged records with `checkHealth()` or "identity-lab keys verify". Restore the record from a backup, or let \
                the buyer start again: with a new login, or as a guest with a new cart.
                """,
            cause: cause
        )
    }

    package static var quarantined: IdentityError {
        IdentityError(
            storeCorrupt: "A stored record is in quarantine, because the record or its session could not be opened.",
            hint: """
                Restore the record from quarantine (see Documentation/Operating/SQLite.md or PostgreSQL.md) or from a backup, or let the \
                buyer start again: with a new login, or as a guest with a new cart.
                """
        )
    }
}
