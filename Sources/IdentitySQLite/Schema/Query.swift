internal import IdentityStoreKit

/// The prepared statements of a connection.
enum Query: Int, CaseIterable {
    case begin, beginRead, commit, rollback, touch
    case readStore, insertStore, readLookupKeys, insertLookupKey
    case insertSession, readSession, replaceSession, replaceIndexedSession, sessionLength, deleteSession, hasSession
    case listSessions, listSessionsOfBuyer, listSessionsOfProviderSession, listSessionsOfTenant, listSessionsInDoubt
    case countSessionsOfTenant, markRestored, listSweepable, deleteRetired, postponeSweep, listSessionRows
    case insertAttempt, readAttempt, deleteAttempt, countAttempts, evictAttempts, sweepAttempts, listAttempts
    case insertAttachment, readAttachment, replaceAttachment, deleteAttachment, readAttachments, deleteAttachments
    case listAttachments
    case readUsedToken, insertUsedToken, countUsedTokens, sweepUsedTokens
    case quarantineSession, quarantineAttempt, addQuarantinedAttempt, quarantineAttachment, deleteAttachmentRow
    case isQuarantined, isAnyQuarantined, countQuarantined, sweepAttachmentsOfQuarantined, sweepQuarantine
    case resealSession, resealAttempt, resealAttachment, listSessionKeys, listAttemptKeys, listAttachmentKeys
    case countCommit, readCommits

    var sql: String {
        switch self {
        case .begin: "BEGIN IMMEDIATE"
        case .beginRead: "BEGIN"
        case .commit: "COMMIT"
        case .rollback: "ROLLBACK"
        case .touch: "SELECT id FROM store"

        case .readStore: "SELECT store_id, slot_size, is_copy FROM store"
        case .insertStore: "INSERT INTO store (id, store_id, slot_size) VALUES (1, ?1, ?2)"
        case .readLookupKeys: "SELECT record FROM lookup_key"
        case .insertLookupKey: "INSERT INTO lookup_key (key_id, record) VALUES (?1, ?2)"

        case .insertSession:
            """
            INSERT INTO session (key, hash, buyer, tenant, provider, issuer, generation, retained_until, slot,
            provider_session, in_doubt, restored, sweep_after)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?8) ON CONFLICT (key) DO NOTHING
            """
        // Searches by the key without the hash, so that a row with a wrong hash is reported as damaged and not as missing.
        case .readSession: "SELECT \(Self.sessionColumns) FROM session WHERE key = ?1"
        // Of the changed columns, only `in_doubt` is indexed. If the record keeps its length, SQLite overwrites the page in place, which
        // works on a full disk too.
        case .replaceSession:
            """
            UPDATE session SET generation = ?7, retained_until = ?8, slot = ?9, in_doubt = ?11, restored = ?12
            WHERE key = ?1 AND hash = ?2 AND generation = ?13 AND length(slot) <= length(?9)
            AND buyer = ?3 AND tenant = ?4 AND provider = ?5 AND issuer = ?6 AND provider_session IS ?10
            """
        case .replaceIndexedSession:
            """
            UPDATE session SET buyer = ?3, tenant = ?4, provider = ?5, issuer = ?6, generation = ?7,
            retained_until = ?8, slot = ?9, provider_session = ?10, in_doubt = ?11, restored = ?12
            WHERE key = ?1 AND hash = ?2 AND generation = ?13 AND length(slot) <= length(?9)
            """
        case .sessionLength:
            "SELECT length(slot) FROM session WHERE key = ?1 AND hash = ?2 AND generation = ?3"
        case .deleteSession: "DELETE FROM session WHERE key = ?1"
        case .hasSession: "SELECT hash = ?2 FROM session WHERE key = ?1"
        case .countSessionsOfTenant: "SELECT count(*) FROM session WHERE tenant = ?1"
        case .markRestored: "UPDATE session SET restored = 1"
        case .listSessions: Self.sessions("WHERE \(Self.filter) AND ?5 IS NULL")
        case .listSessionsOfBuyer: Self.sessions("WHERE buyer = ?5 AND \(Self.filter)")
        case .listSessionsOfProviderSession: Self.sessions("WHERE provider_session = ?5 AND \(Self.filter)")
        case .listSessionsOfTenant:
            Self.sessions("WHERE tenant = ?5 AND key > ?1 AND (?3 IS NULL OR provider = ?3)")
        case .listSessionsInDoubt:
            Self.sessions("INDEXED BY session_in_doubt WHERE in_doubt = 1 AND ?5 IS NULL AND \(Self.filter)")
        case .listSweepable:
            """
            SELECT sweep_after, key, retained_until FROM session
            WHERE sweep_after < ?1 AND (sweep_after, key) > (?2, ?3) ORDER BY sweep_after, key LIMIT ?4
            """
        case .deleteRetired: "DELETE FROM session WHERE key = ?1 AND retained_until < ?2"
        case .postponeSweep:
            "UPDATE session SET sweep_after = retained_until WHERE key = ?1 AND sweep_after < retained_until"
        case .listSessionRows: Self.sessions("WHERE key > ?1")

        case .insertAttempt:
            "INSERT OR REPLACE INTO login_attempt (key, hash, expires_at, slot, tenant) VALUES (?1, ?2, ?3, ?4, ?5)"
        case .readAttempt: "SELECT \(Self.attemptColumns) FROM login_attempt WHERE key = ?1"
        case .deleteAttempt: "DELETE FROM login_attempt WHERE key = ?1"
        case .countAttempts: "SELECT count(*) FROM login_attempt WHERE tenant = ?1 AND key <> ?2"
        case .evictAttempts:
            """
            DELETE FROM login_attempt WHERE key IN
            (SELECT key FROM login_attempt WHERE tenant = ?1 AND key <> ?2 ORDER BY expires_at LIMIT ?3)
            """
        case .sweepAttempts:
            """
            DELETE FROM login_attempt WHERE key IN
            (SELECT key FROM login_attempt WHERE expires_at < ?1 ORDER BY expires_at LIMIT ?2)
            """
        case .listAttempts:
            "SELECT \(Self.attemptColumns) FROM login_attempt WHERE key > ?1 ORDER BY key LIMIT ?2"

        case .insertAttachment:
            """
            INSERT INTO attachment (key, hash, session, revision, slot) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (key) DO NOTHING
            """
        case .readAttachment: "SELECT \(Self.attachmentColumns) FROM attachment WHERE key = ?1"
        case .replaceAttachment:
            "UPDATE attachment SET revision = ?4, slot = ?5 WHERE key = ?1 AND hash = ?2 AND revision = ?3"
        case .deleteAttachment: "DELETE FROM attachment WHERE key = ?1 AND hash = ?2 AND revision = ?3"
        case .readAttachments: "SELECT \(Self.attachmentColumns) FROM attachment WHERE session = ?1"
        case .deleteAttachments: "DELETE FROM attachment WHERE session = ?1"
        case .listAttachments:
            "SELECT \(Self.attachmentColumns) FROM attachment WHERE key > ?1 ORDER BY key LIMIT ?2"

        // Searches by the key without the hash, because a damaged mark still shows that the token was used.
        case .readUsedToken: "SELECT 1 FROM used_token WHERE key = ?1"
        case .insertUsedToken:
            "INSERT INTO used_token (key, hash, expires_at) VALUES (?1, ?2, ?3) ON CONFLICT (key) DO NOTHING"
        case .countUsedTokens: "SELECT count(*) FROM used_token"
        case .sweepUsedTokens:
            """
            DELETE FROM used_token WHERE key IN
            (SELECT key FROM used_token WHERE expires_at < ?1 ORDER BY expires_at LIMIT ?2)
            """

        case .quarantineSession:
            Self.quarantine(
                "session",
                "buyer, tenant, provider, issuer, provider_session, generation, retained_until, in_doubt, restored"
            )
        case .quarantineAttempt: Self.quarantine("login_attempt", "tenant, expires_at")
        // A login that is already in quarantine is not added again: a process may have ended after it copied the login to quarantine and
        // before it removed the login from the login file.
        case .addQuarantinedAttempt:
            """
            INSERT INTO quarantine (origin, reason, moved_at, key, hash, tenant, expires_at, slot)
            SELECT 'login_attempt', ?1, ?2, ?3, ?4, ?5, ?6, ?7
            WHERE NOT EXISTS (SELECT 1 FROM quarantine WHERE hash = ?4 AND origin = 'login_attempt' AND slot = ?7)
            """
        case .quarantineAttachment: Self.quarantine("attachment", "session, revision")
        case .deleteAttachmentRow: "DELETE FROM attachment WHERE key = ?1"
        case .isQuarantined:
            """
            SELECT 1 FROM quarantine WHERE key = ?1 AND origin = CAST(?3 AS TEXT)
            UNION ALL SELECT 1 FROM quarantine WHERE hash = ?2 AND origin = CAST(?3 AS TEXT) LIMIT 1
            """
        case .isAnyQuarantined:
            """
            SELECT 1 FROM quarantine WHERE origin = 'session' AND (?1 IS NULL OR buyer = ?1)
            AND (?2 IS NULL OR provider_session = ?2) AND (?3 IS NULL OR provider = ?3) AND (?4 IS NULL OR tenant = ?4) LIMIT 1
            """
        case .countQuarantined: "SELECT count(*) FROM quarantine"
        // A session that was put back keeps its attachments, even if its row in the table `quarantine` was not deleted.
        case .sweepAttachmentsOfQuarantined:
            """
            DELETE FROM attachment WHERE key IN
            (SELECT attachment.key FROM quarantine JOIN attachment ON attachment.session = quarantine.key
            WHERE quarantine.origin = 'session' AND quarantine.moved_at < ?1
            AND NOT EXISTS (SELECT 1 FROM session WHERE session.key = quarantine.key) LIMIT ?2)
            """
        case .sweepQuarantine:
            """
            DELETE FROM quarantine WHERE id IN
            (SELECT id FROM quarantine WHERE moved_at < ?1 ORDER BY moved_at LIMIT ?2)
            """

        // `?2` is the record that was read. Every save encrypts with a new random nonce. So a row that still has this record was not saved
        // after it was read.
        case .resealSession: "UPDATE session SET slot = ?3 WHERE key = ?1 AND slot = ?2 AND in_doubt = 0"
        case .resealAttempt: "UPDATE login_attempt SET slot = ?3 WHERE key = ?1 AND slot = ?2"
        case .resealAttachment: "UPDATE attachment SET slot = ?3 WHERE key = ?1 AND slot = ?2"
        case .listSessionKeys: Self.keys(of: "session")
        case .listAttemptKeys: Self.keys(of: "login_attempt")
        case .listAttachmentKeys: Self.keys(of: "attachment")
        case .countCommit: "UPDATE store SET commits = commits + 1"
        case .readCommits: "SELECT commits FROM store"
        }
    }

    /// Reads the column `hash`; a value that is not a blob is read as empty, so that its row counts as damaged.
    private static let rowHash = "iif(typeof(hash) = 'blob', hash, x'')"
    private static let sessionColumns = """
        key, \(rowHash), buyer, tenant, provider, issuer, generation, retained_until, slot, provider_session, \
        in_doubt, restored
        """
    private static let attemptColumns = "key, \(rowHash), tenant, expires_at, slot"
    private static let attachmentColumns = "key, \(rowHash), revision, slot"

    private static let filter = "key > ?1 AND (?3 IS NULL OR provider = ?3) AND (?4 IS NULL OR tenant = ?4)"

    private static func sessions(_ condition: String) -> String {
        "SELECT \(sessionColumns) FROM session \(condition) ORDER BY key LIMIT ?2"
    }

    private static func quarantine(_ table: String, _ columns: String) -> String {
        """
        INSERT INTO quarantine (origin, reason, moved_at, key, hash, \(columns), slot)
        SELECT '\(table)', ?2, ?3, key, hash, \(columns), slot FROM \(table) WHERE key = ?1 AND CAST(slot AS BLOB) = ?4
        """
    }

    private static func keys(of table: String) -> String {
        "SELECT key, substr(slot, 1, 24) FROM \(table) WHERE key > ?1 ORDER BY key LIMIT ?2"
    }
}

extension SealedRow.Kind {
    var list: Query { pick(.listSessionRows, .listAttempts, .listAttachments) }
    /// Lists the first bytes of records, which contain the id of the key that encrypts the record.
    var listKeys: Query { pick(.listSessionKeys, .listAttemptKeys, .listAttachmentKeys) }
    /// Replaces the record of a row if it has not changed since it was read, and no refresh of the session is in progress or in doubt.
    var reseal: Query { pick(.resealSession, .resealAttempt, .resealAttachment) }
    /// Copies a row into quarantine if its record has not changed since it was read.
    var quarantine: Query { pick(.quarantineSession, .quarantineAttempt, .quarantineAttachment) }
    var delete: Query { pick(.deleteSession, .deleteAttempt, .deleteAttachmentRow) }

    private func pick(_ session: Query, _ loginAttempt: Query, _ attachment: Query) -> Query {
        switch self {
        case .session: session
        case .loginAttempt: loginAttempt
        case .attachment: attachment
        }
    }
}
