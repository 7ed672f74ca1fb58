/// Every statement that is kept prepared.
enum Query: Int, CaseIterable {
    case begin, beginRead, commit, rollback, touch
    case readStore, insertStore, readLookupKeys, insertLookupKey
    case insertSession, readSession, replaceSession, moveSession, deleteSession, hasSession
    case listSessions, listSessionsOfBuyer, listSessionsOfProviderSession, listRetention, deleteRetired,
        listSessionSlots
    case insertAttempt, readAttempt, deleteAttempt, countAttempts, evictAttempts, sweepAttempts, listAttemptSlots
    case insertAttachment, readAttachment, replaceAttachment, deleteAttachment, readAttachments, deleteAttachments
    case listAttachmentSlots
    case readUsedToken, insertUsedToken, countUsedTokens, sweepUsedTokens

    var sql: String {
        switch self {
        case .begin: "BEGIN IMMEDIATE"
        case .beginRead: "BEGIN"
        case .commit: "COMMIT"
        case .rollback: "ROLLBACK"
        case .touch: "SELECT id FROM store"

        case .readStore: "SELECT store_id, slot_size FROM store"
        case .insertStore: "INSERT INTO store (id, store_id, slot_size) VALUES (1, ?1, ?2)"
        case .readLookupKeys: "SELECT key_id, record FROM lookup_key"
        case .insertLookupKey: "INSERT INTO lookup_key (key_id, record) VALUES (?1, ?2)"

        case .insertSession:
            """
            INSERT INTO session (key, hash, buyer, tenant, provider, issuer, generation, retained_until, slot,
            provider_session)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (key) DO NOTHING
            """
        case .readSession:
            "SELECT buyer, tenant, provider, issuer, generation, slot FROM session WHERE key = ?1 AND hash = ?2"
        // The row keeps its length and its place in the index: the page is overwritten where it is, even on a full disk.
        case .replaceSession:
            """
            UPDATE session SET generation = ?4, retained_until = ?5, slot = ?6
            WHERE key = ?1 AND hash = ?2 AND generation = ?3
            AND buyer = ?7 AND tenant = ?8 AND provider = ?9 AND issuer = ?10 AND provider_session IS ?11
            """
        case .moveSession:
            """
            UPDATE session SET generation = ?4, retained_until = ?5, slot = ?6,
            buyer = ?7, tenant = ?8, provider = ?9, issuer = ?10, provider_session = ?11
            WHERE key = ?1 AND hash = ?2 AND generation = ?3
            """
        case .deleteSession: "DELETE FROM session WHERE key = ?1"
        case .hasSession: "SELECT 1 FROM session WHERE key = ?1 AND hash = ?2"
        case .listSessions:
            """
            SELECT buyer, tenant, provider, issuer, generation, slot, hash, key FROM session
            WHERE ?5 IS NULL AND key > ?1 AND (?2 IS NULL OR provider = ?2) AND (?3 IS NULL OR tenant = ?3)
            ORDER BY key LIMIT ?4
            """
        case .listSessionsOfBuyer:
            """
            SELECT buyer, tenant, provider, issuer, generation, slot, hash, key FROM session
            WHERE buyer = ?5 AND key > ?1 AND (?2 IS NULL OR provider = ?2) AND (?3 IS NULL OR tenant = ?3)
            ORDER BY key LIMIT ?4
            """
        case .listSessionsOfProviderSession:
            """
            SELECT buyer, tenant, provider, issuer, generation, slot, hash, key FROM session
            WHERE provider_session = ?5 AND key > ?1 AND (?2 IS NULL OR provider = ?2) AND (?3 IS NULL OR tenant = ?3)
            ORDER BY key LIMIT ?4
            """
        case .listRetention: "SELECT key, retained_until FROM session WHERE key > ?1 ORDER BY key LIMIT ?2"
        case .deleteRetired: "DELETE FROM session WHERE key = ?1 AND retained_until < ?2"
        case .listSessionSlots:
            """
            SELECT key, slot, hash, generation, buyer, tenant, provider, issuer FROM session
            WHERE key > ?1 ORDER BY key LIMIT ?2
            """

        case .insertAttempt:
            "INSERT OR REPLACE INTO login_attempt (key, hash, expires_at, slot) VALUES (?1, ?2, ?3, ?4)"
        case .readAttempt: "SELECT slot FROM login_attempt WHERE key = ?1 AND hash = ?2"
        case .deleteAttempt: "DELETE FROM login_attempt WHERE key = ?1"
        case .countAttempts: "SELECT count(*) FROM login_attempt"
        case .evictAttempts:
            "DELETE FROM login_attempt WHERE key IN (SELECT key FROM login_attempt ORDER BY expires_at LIMIT ?1)"
        case .sweepAttempts:
            """
            DELETE FROM login_attempt WHERE key IN
            (SELECT key FROM login_attempt WHERE expires_at < ?1 ORDER BY expires_at LIMIT ?2)
            """
        case .listAttemptSlots: "SELECT key, slot, hash FROM login_attempt WHERE key > ?1 ORDER BY key LIMIT ?2"

        case .insertAttachment:
            """
            INSERT INTO attachment (key, hash, session, revision, slot) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (key) DO NOTHING
            """
        case .readAttachment: "SELECT revision, slot FROM attachment WHERE key = ?1 AND hash = ?2"
        case .replaceAttachment:
            "UPDATE attachment SET revision = ?4, slot = ?5 WHERE key = ?1 AND hash = ?2 AND revision = ?3"
        case .deleteAttachment: "DELETE FROM attachment WHERE key = ?1 AND hash = ?2 AND revision = ?3"
        case .readAttachments: "SELECT hash, revision, slot FROM attachment WHERE session = ?1"
        case .deleteAttachments: "DELETE FROM attachment WHERE session = ?1"
        case .listAttachmentSlots:
            "SELECT key, slot, hash, revision FROM attachment WHERE key > ?1 ORDER BY key LIMIT ?2"

        case .readUsedToken: "SELECT 1 FROM used_token WHERE key = ?1 AND hash = ?2"
        case .insertUsedToken:
            "INSERT INTO used_token (key, hash, expires_at) VALUES (?1, ?2, ?3) ON CONFLICT (key) DO NOTHING"
        case .countUsedTokens: "SELECT count(*) FROM used_token"
        case .sweepUsedTokens:
            """
            DELETE FROM used_token WHERE key IN
            (SELECT key FROM used_token WHERE expires_at < ?1 ORDER BY expires_at LIMIT ?2)
            """
        }
    }
}
