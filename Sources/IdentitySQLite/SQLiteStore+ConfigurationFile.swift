public import IdentityKit
internal import IdentityStoreKit

extension SQLiteStore.Configuration {
    /// Reads the section `store` of a configuration file, with the members `path`, `key` and `readOnlyKeys`.
    ///
    /// If `key` is missing, the key comes from the environment variable `IDENTITY_STORE_KEY`.
    ///
    /// - Throws: `IdentityError` when `section` is nil or names a PostgreSQL database, when `path` or the key is missing, or when a member
    ///   is unknown or invalid.
    public init(_ section: ConfigurationSection?) throws {
        guard let section else { throw IdentityError.missingStoreSection }
        if section.memberNames.contains(where: { $0.isIdentical(to: "postgres") }) {
            throw section.error(
                "postgres",
                "names a PostgreSQL database, and this app opens a SQLite file",
                hint: "Replace store.postgres by store.path, or open a `PostgresStore` in the app."
            )
        }
        try section.check(members: ["path", "key", "readOnlyKeys"])
        var optional: ConfigurationSection? = section
        let keys = try StoreKeys(&optional)
        var rest = section
        self.init(path: try rest.string("path"), key: keys.active, readOnlyKeys: keys.readOnly)
    }
}
