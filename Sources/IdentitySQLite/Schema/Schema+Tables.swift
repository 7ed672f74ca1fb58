extension Schema {
    static let tables = """
        CREATE TABLE store (
            id INTEGER PRIMARY KEY CHECK (id = 1), store_id BLOB NOT NULL, slot_size INTEGER NOT NULL,
            is_copy INTEGER NOT NULL DEFAULT 0, commits INTEGER NOT NULL DEFAULT 1099511627776
        );
        CREATE TABLE lookup_key (id INTEGER PRIMARY KEY, key_id BLOB NOT NULL UNIQUE, record BLOB NOT NULL);
        CREATE TABLE session (
            key INTEGER PRIMARY KEY, hash BLOB NOT NULL, buyer BLOB NOT NULL,
            tenant BLOB NOT NULL, provider BLOB NOT NULL, issuer BLOB NOT NULL,
            generation INTEGER NOT NULL, retained_until NOT NULL, sweep_after NOT NULL, slot BLOB NOT NULL, provider_session BLOB,
            in_doubt INTEGER NOT NULL DEFAULT 0, restored INTEGER NOT NULL DEFAULT 0
        );
        CREATE INDEX session_buyer ON session (buyer);
        CREATE INDEX session_provider_session ON session (provider_session) WHERE provider_session IS NOT NULL;
        CREATE INDEX session_in_doubt ON session (in_doubt) WHERE in_doubt = 1;
        CREATE INDEX session_sweep ON session (sweep_after);
        CREATE INDEX session_tenant ON session (tenant);
        CREATE TABLE login_attempt (
            key INTEGER PRIMARY KEY, hash BLOB NOT NULL, expires_at NOT NULL, slot BLOB NOT NULL, tenant BLOB NOT NULL
        );
        CREATE INDEX login_attempt_expiry ON login_attempt (expires_at);
        CREATE INDEX login_attempt_tenant ON login_attempt (tenant, expires_at);
        CREATE TABLE attachment (
            key INTEGER PRIMARY KEY, hash BLOB NOT NULL, session INTEGER NOT NULL,
            revision INTEGER NOT NULL, slot BLOB NOT NULL
        );
        CREATE INDEX attachment_session ON attachment (session);
        CREATE TABLE used_token (key INTEGER PRIMARY KEY, hash BLOB NOT NULL, expires_at NOT NULL);
        CREATE INDEX used_token_expiry ON used_token (expires_at);
        CREATE TABLE quarantine (
            id INTEGER PRIMARY KEY, origin TEXT NOT NULL, reason TEXT NOT NULL, moved_at NOT NULL,
            key, hash, buyer, tenant, provider, issuer, provider_session, generation, retained_until, in_doubt, restored,
            session, revision, expires_at, slot
        );
        CREATE INDEX quarantine_key ON quarantine (key);
        CREATE INDEX quarantine_hash ON quarantine (hash);
        CREATE INDEX quarantine_age ON quarantine (moved_at);
        """
}
