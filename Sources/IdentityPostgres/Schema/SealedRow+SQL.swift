#if PostgreSQL
internal import IdentityStoreKit

extension SealedRow.Kind {
    /// The columns that a statement returns for a row of this kind: its key, then the columns of a ``SealedRow``.
    var columns: String {
        switch self {
        case .session:
            """
            key, hash, buyer, tenant, provider, issuer, generation, retained_until, slot, provider_session, \
            is_in_doubt, is_restored
            """
        case .loginAttempt: "key, hash, tenant, expires_at, slot"
        case .attachment: "key, hash, revision, slot"
        }
    }

    /// The SQL condition that a row is unchanged since it was read, with its key as `$1`, its generation as `$2` and its slot as `$3`.
    var isUnchanged: String {
        switch self {
        case .session: "key = $1 AND generation = $2 AND slot = $3"
        case .loginAttempt: "key = $1 AND $2::bigint = 0 AND slot = $3"
        case .attachment: "key = $1 AND revision = $2 AND slot = $3"
        }
    }
}
#endif
