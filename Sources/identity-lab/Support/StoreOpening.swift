internal import IdentityKit
internal import IdentityPostgres
internal import IdentitySQLite
internal import IdentityStoreKit

/// Opens the session store of the options and the configuration.
enum StoreOpening {
    private static let members = [
        "path", "postgres", "key", "readOnlyKeys", "schema", "usesTransactionPooler", "direct", "allowsUnverifiedTLS",
        "spool",
    ]

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - section: The section `store` of the configuration.
    ///   - path: The SQLite file of `--store`, which replaces the configured store.
    ///   - creates: Whether to create a missing store.
    /// - Returns: The opened store.
    /// - Throws: `IdentityError` when the configuration is invalid or the store cannot be opened.
    static func open(
        _ section: ConfigurationSection?,
        path: String?,
        creates: Bool = true
    ) async throws -> OpenedStore {
        var section = section
        try section?.check(members: members)
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
            ] where isGiven { throw section.error(name, "requires the member \"postgres\", which is missing") }
        }
        if let section, connection != nil, configuredPath != nil {
            throw section.error("postgres", "excludes \"path\"", hint: "Remove one of the two members.")
        }
        // --store also replaces a configured server.
        if let connection, path == nil {
            #if PostgreSQL
            var configuration = PostgresStore.Configuration(connection: connection, key: keys.active)
            configuration.readOnlyKeys = keys.readOnly
            configuration.usesTransactionPooler = pooler
            configuration.directConnection = direct
            configuration.allowsUnverifiedTLS = allowsUnverifiedTLS
            if let schema { configuration.schema = schema }
            configuration.createsStore = creates
            configuration.spoolDirectory = spool
            return .postgres(try await PostgresStore.open(configuration))
            #else
            throw IdentityError(
                .configuration,
                .configurationInvalid,
                "This identity-lab was built without PostgreSQL, which store.postgres needs.",
                hint: "Install libpq-dev and build it again, with Examples/run or with: swift build --traits PostgreSQL"
            )
            #endif
        }
        guard let path = path ?? configuredPath else {
            throw IdentityError(
                .configuration,
                .configurationInvalid,
                "Configuration member store.path is missing.",
                hint: "Set store.path or store.postgres, or pass --store PATH."
            )
        }
        let store = try await SQLiteStore.open(path: path, keys: keys) { $0.createsStore = creates }
        return .sqlite(store, path: path)
    }
}
