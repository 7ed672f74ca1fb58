internal import IdentityKit
internal import IdentityPostgres
internal import IdentitySQLite
internal import IdentityStoreKit

/// Opens the session database that options and configuration name.
enum StoreOpening {
    /// Opens the store.
    ///
    /// - Parameters:
    ///   - section: The configuration's `store`, of which only what is needed is asked for.
    ///   - path: What `--store` says, a file; it goes before what the configuration says.
    ///   - creates: Whether the store is made where there is none.
    static func open(
        _ section: ConfigurationSection?,
        path: String?,
        creates: Bool = true
    ) async throws -> OpenedStore {
        var section = section
        let configuredPath = try section?.optionalString("path")
        let connection = try section?.optionalSecretOrText("postgres")
        let pooler = try section?.bool("usesTransactionPooler", default: false) ?? false
        let direct = try section?.optionalSecretOrText("direct")
        let allowsUnverifiedTLS = try section?.bool("allowsUnverifiedTLS", default: false) ?? false
        let schema = try section?.optionalString("schema")
        let spool = try section?.optionalString("spool")
        let keys = try StoreKeys(&section)
        try section?.finish()
        if let section, connection == nil {
            for (name, isGiven) in [
                ("usesTransactionPooler", pooler), ("direct", direct != nil),
                ("allowsUnverifiedTLS", allowsUnverifiedTLS), ("schema", schema != nil),
                ("spool", spool != nil),
            ] where isGiven { throw section.error(name, "belongs to \"postgres\", which is missing") }
        }
        if let section, connection != nil, configuredPath != nil {
            throw section.error("postgres", "stands beside \"path\"", hint: "Name one database.")
        }
        // A file that was named on the command line goes before a server, as before another file.
        if let connection, path == nil {
            var configuration = PostgresStore.Configuration(connection: connection, key: keys.active)
            configuration.readOnlyKeys = keys.readOnly
            configuration.usesTransactionPooler = pooler
            configuration.directConnection = direct
            configuration.allowsUnverifiedTLS = allowsUnverifiedTLS
            if let schema { configuration.schema = schema }
            configuration.createsStore = creates
            configuration.spoolDirectory = spool
            return .postgres(try await PostgresStore.open(configuration))
        }
        guard let path = path ?? configuredPath else {
            throw IdentityError(
                .configuration,
                .configurationInvalid,
                "Configuration member store.path is missing.",
                hint: "Name the database there, or with --store PATH; or a server as store.postgres."
            )
        }
        let store = try await SQLiteStore.open(path: path, keys: keys) { $0.createsStore = creates }
        return .sqlite(store, path: path)
    }
}
