#if PostgreSQL
internal import IdentityStoreKit

extension SealedRow.Kind {
    /// The key of a row, then the columns of a sealed row.
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

    /// The condition that a row is unchanged since it was read, with its generation as `$2` and its slot as `$3`.
    var isUnchanged: String {
        switch self {
        case .session: "key = $1 AND generation = $2 AND slot = $3"
        case .loginAttempt: "key = $1 AND $2::bigint = 0 AND slot = $3"
        case .attachment: "key = $1 AND revision = $2 AND slot = $3"
        }
    }
}
#endif
