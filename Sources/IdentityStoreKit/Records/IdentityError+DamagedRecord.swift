public import IdentityKit

extension IdentityError {
    /// Whether the error concerns one stored record: it is damaged, or its key is missing.
    ///
    /// Any other error, such as exhausted memory in OpenSSL, does not concern the record. Because of such an error, no
    /// row may be omitted from a list, counted as damaged or moved to quarantine.
    public var concernsRecord: Bool { code == .storeCorrupt || code == .storeKeyMismatch }

    /// The error for a damaged record.
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

    /// The error for a row that a caller asked for and that is in quarantine.
    package static var quarantined: IdentityError {
        IdentityError(
            storeCorrupt: "A stored record is in quarantine, because it or its session is damaged.",
            hint: """
                Restore the record from quarantine (see Documentation/Operating/SQLite.md or PostgreSQL.md) or from a backup, or let the \
                buyer start again: with a new login, or as a guest with a new cart.
                """
        )
    }
}
