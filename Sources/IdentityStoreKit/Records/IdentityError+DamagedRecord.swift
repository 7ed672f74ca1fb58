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
            storeCorrupt: "A stored record is damaged: \(reason). This call left it as it is.",
            hint: """
                Count the damaged records with `checkHealth()` or identity-lab keys verify. Restore the record from a backup. If that is \
                not possible, start a new session: a buyer signs in again, a guest gets a new cart.
                """,
            cause: cause
        )
    }

    /// The error for a row that a caller asked for and that is in quarantine.
    package static var quarantined: IdentityError {
        IdentityError(
            storeCorrupt: "A stored record is damaged and was moved to quarantine.",
            hint: """
                Restore the record from quarantine or from a backup. If that is not possible, start a new session: a buyer signs in again, \
                a guest gets a new cart.
                """
        )
    }
}
