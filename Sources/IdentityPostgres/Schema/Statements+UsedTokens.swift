#if PostgreSQL
extension Statements {
    var insertUsedToken: Statement {
        statement(
            [.integer, .bytes, .bytes, .real],
            """
            INSERT INTO §used_token (key, hash, claim, expires_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (key) DO NOTHING
            """
        )
    }
    /// Searches by the key without the hash, because a damaged mark still shows that the token was used.
    var readUsedToken: Statement {
        statement([.integer], "SELECT claim FROM §used_token WHERE key = $1")
    }
    var countUsedTokens: Statement {
        statement([.integer], "SELECT count(*) FROM (SELECT 1 FROM §used_token LIMIT $1) AS counted")
    }
}
#endif
