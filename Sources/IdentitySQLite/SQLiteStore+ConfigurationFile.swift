public import IdentityKit
internal import IdentityStoreKit

extension SQLiteStore.Configuration {
    /// Reads the section `store` of a configuration file.
    ///
    /// Members: `path`, `key` and `readOnlyKeys`; without `key`, the environment variable `IDENTITY_STORE_KEY` holds the key.
    ///
    /// - Throws: `IdentityError` that names the member, also if `section` is nil, for an unknown member, and for a section that names a
    ///   PostgreSQL database.
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
