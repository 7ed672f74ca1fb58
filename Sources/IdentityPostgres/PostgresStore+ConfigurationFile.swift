#if PostgreSQL
public import IdentityKit
internal import IdentityStoreKit

extension PostgresStore.Configuration {
    /// Reads the section `store` of a configuration file.
    ///
    /// Members: `postgres`, `key`, `readOnlyKeys`, `schema`, `usesTransactionPooler`, `direct`, `allowsUnverifiedTLS` and `spool`; without
    /// `key`, the environment variable `IDENTITY_STORE_KEY` holds the key.
    ///
    /// - Throws: `IdentityError` that names the member: `store` when `section` is nil; an invalid, unknown or missing member; or `path`,
    ///   which is for SQLite.
    public init(_ section: ConfigurationSection?) throws {
        guard var section else { throw IdentityError.missingStoreSection }
        if section.memberNames.contains(where: { $0.isIdentical(to: "path") }) {
            throw section.error(
                "path",
                "names a SQLite file, and this app opens a PostgreSQL database",
                hint: "Remove store.path and set store.postgres, or open a `SQLiteStore` in the app."
            )
        }
        try section.check(members: [
            "postgres", "key", "readOnlyKeys", "schema", "usesTransactionPooler", "direct", "allowsUnverifiedTLS",
            "spool",
        ])
        var optional: ConfigurationSection? = section
        let keys = try StoreKeys(&optional)
        guard let connection = try section.optionalSecretOrText("postgres") else {
            throw section.error("postgres", "is missing")
        }
        self.init(connection: connection, key: keys.active)
        readOnlyKeys = keys.readOnly
        if let name = try section.optionalString("schema") { schema = name }
        usesTransactionPooler = try section.bool("usesTransactionPooler", default: false)
        directConnection = try section.optionalSecretOrText("direct")
        allowsUnverifiedTLS = try section.bool("allowsUnverifiedTLS", default: false)
        spoolDirectory = try section.optionalString("spool")
    }
}
#endif
