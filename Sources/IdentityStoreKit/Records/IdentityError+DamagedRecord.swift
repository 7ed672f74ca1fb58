package import IdentityKit

extension IdentityError {
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
