#if PostgreSQL
extension Schema {
    static let tables: [String] = [
        """
        CREATE TABLE §store (
            id smallint PRIMARY KEY CHECK (id = 1), version bigint NOT NULL, format bytea NOT NULL,
            store_id bytea NOT NULL, slot_size bigint NOT NULL
        )
        """,
        "CREATE TABLE §lookup_key (key_id bytea PRIMARY KEY, record bytea NOT NULL)",
        """
        CREATE TABLE §session (
            key bigint PRIMARY KEY, hash bytea NOT NULL, buyer bytea NOT NULL, provider_session bytea,
            tenant bytea NOT NULL, provider bytea NOT NULL, issuer bytea NOT NULL,
            generation bigint NOT NULL, retained_until double precision NOT NULL,
            is_in_doubt boolean NOT NULL, is_restored boolean NOT NULL DEFAULT false,
            slot bytea NOT NULL CHECK (octet_length(slot) <= 16777216),
            CHECK (octet_length(tenant) + octet_length(provider) + octet_length(issuer) <= 1048576)
        ) WITH (fillfactor = 80)
        """,
        "ALTER TABLE §session ALTER slot SET STORAGE EXTERNAL",
        "CREATE INDEX session_buyer ON §session (buyer, key)",
        "CREATE INDEX session_provider_session ON §session (provider_session, key) WHERE provider_session IS NOT NULL",
        "CREATE INDEX session_tenant ON §session (tenant, key)",
        "CREATE INDEX session_in_doubt ON §session (key) WHERE is_in_doubt",
        """
        CREATE TABLE §login_attempt (
            key bigint PRIMARY KEY, hash bytea NOT NULL, tenant bytea NOT NULL,
            expires_at double precision NOT NULL, slot bytea NOT NULL CHECK (octet_length(slot) <= 16777216)
        )
        """,
        "ALTER TABLE §login_attempt ALTER slot SET STORAGE EXTERNAL",
        "CREATE INDEX login_attempt_expiry ON §login_attempt (expires_at)",
        "CREATE INDEX login_attempt_tenant ON §login_attempt (tenant, expires_at)",
        """
        CREATE TABLE §attachment (
            key bigint PRIMARY KEY, hash bytea NOT NULL,
            session bigint NOT NULL REFERENCES §session (key) ON DELETE CASCADE,
            revision bigint NOT NULL, slot bytea NOT NULL CHECK (octet_length(slot) <= 16777216)
        ) WITH (fillfactor = 80)
        """,
        "ALTER TABLE §attachment ALTER slot SET STORAGE EXTERNAL",
        "CREATE INDEX attachment_session ON §attachment (session)",
        """
        CREATE TABLE §used_token (
            key bigint PRIMARY KEY, hash bytea NOT NULL, claim bytea NOT NULL, expires_at double precision NOT NULL
        )
        """,
        "CREATE INDEX used_token_expiry ON §used_token (expires_at)",
        // A lease ends when `renewals` has not changed for `milliseconds`, measured by the clock of the process that waits for it.
        """
        CREATE TABLE §lease (
            key bigint PRIMARY KEY, holder bytea NOT NULL, renewals bigint NOT NULL, milliseconds bigint NOT NULL
        )
        """,
        """
        CREATE TABLE §quarantine (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, kind smallint NOT NULL, key bigint NOT NULL,
            hash bytea NOT NULL, buyer bytea, provider_session bytea, tenant bytea, provider bytea, issuer bytea,
            generation bigint, expires_at double precision, is_in_doubt boolean, is_restored boolean,
            session bigint, slot bytea NOT NULL,
            moved_at timestamptz NOT NULL DEFAULT clock_timestamp()
        )
        """,
        "CREATE INDEX quarantine_key ON §quarantine (key)",
        "CREATE INDEX quarantine_hash ON §quarantine (hash)",
    ]
}
#endif
