/// The tables, and the steps that lead from every released version to the newest.
///
/// What rows are found by is a keyed hash, its first 63 bits the integer key; no column that changes is indexed, and none
/// changes its stored length, so that a save overwrites pages in place. The exceptions: `provider_session`, for a provider may
/// name a session anew, but has no reason to; and `unsettled`, whose 0 and 1 are both stored in no bytes, and whose index holds only
/// the few renewals under way: its one page is there from the beginning.
enum Schema {
    /// "IKst": marks a file as ours (`PRAGMA application_id`).
    static let applicationID: Int64 = 0x494B_7374
    /// The meaning of the sealed records, bound into each of them.
    static let recordVersion: UInt32 = 1
    /// The version that this code writes (`PRAGMA user_version`).
    static var version: Int64 { Int64(migrations.count) }

    /// Step n leads from version n to version n + 1; a released step never changes.
    static let migrations: [String] = [
        """
        CREATE TABLE store (id INTEGER PRIMARY KEY CHECK (id = 1), store_id BLOB NOT NULL, slot_size INTEGER NOT NULL);
        CREATE TABLE lookup_key (id INTEGER PRIMARY KEY, key_id BLOB NOT NULL UNIQUE, record BLOB NOT NULL);
        CREATE TABLE session (
            key INTEGER PRIMARY KEY, hash BLOB NOT NULL, buyer BLOB NOT NULL,
            tenant BLOB NOT NULL, provider BLOB NOT NULL, issuer BLOB NOT NULL,
            generation INTEGER NOT NULL, retained_until NOT NULL, slot BLOB NOT NULL
        );
        CREATE INDEX session_buyer ON session (buyer);
        CREATE TABLE login_attempt (
            key INTEGER PRIMARY KEY, hash BLOB NOT NULL, expires_at NOT NULL, slot BLOB NOT NULL
        );
        CREATE INDEX login_attempt_expiry ON login_attempt (expires_at);
        CREATE TABLE attachment (
            key INTEGER PRIMARY KEY, hash BLOB NOT NULL, session INTEGER NOT NULL,
            revision INTEGER NOT NULL, slot BLOB NOT NULL
        );
        CREATE INDEX attachment_session ON attachment (session);
        """,
        """
        ALTER TABLE session ADD COLUMN provider_session BLOB;
        CREATE INDEX session_provider_session ON session (provider_session) WHERE provider_session IS NOT NULL;
        CREATE TABLE used_token (key INTEGER PRIMARY KEY, hash BLOB NOT NULL, expires_at NOT NULL);
        CREATE INDEX used_token_expiry ON used_token (expires_at);
        """,
        """
        ALTER TABLE store ADD COLUMN is_copy INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE store ADD COLUMN commits INTEGER NOT NULL DEFAULT 1099511627776;
        ALTER TABLE session ADD COLUMN unsettled INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE session ADD COLUMN restored INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX session_unsettled ON session (unsettled) WHERE unsettled = 1;
        CREATE INDEX session_tenant ON session (tenant);
        ALTER TABLE login_attempt ADD COLUMN tenant BLOB NOT NULL DEFAULT x'';
        CREATE INDEX login_attempt_tenant ON login_attempt (tenant, expires_at);
        CREATE TABLE quarantine (
            id INTEGER PRIMARY KEY, origin TEXT NOT NULL, reason TEXT NOT NULL, moved_at NOT NULL,
            key, hash, buyer, tenant, provider, issuer, provider_session, generation, retained_until, unsettled, restored,
            session, revision, expires_at, slot
        );
        CREATE INDEX quarantine_key ON quarantine (key);
        CREATE INDEX quarantine_hash ON quarantine (hash);
        CREATE INDEX quarantine_age ON quarantine (moved_at);
        """,
    ]
}
