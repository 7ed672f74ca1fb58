internal import IdentityKit
internal import IdentityPostgres
internal import IdentitySQLite
internal import IdentityStoreKit

/// Opens the session store that `--store` or the configuration names.
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
        try check(section)
        // --store replaces a configured PostgreSQL server, too.
        if let section, path == nil, section.memberNames.contains("postgres") {
            #if PostgreSQL
            var configuration = try PostgresStore.Configuration(section)
            configuration.createsStore = creates
            let store = try await PostgresStore.open(configuration)
            return OpenedStore(store: store, path: nil) { await store.close() }
            #else
            throw IdentityError(
                configuration: "This identity-lab was built without PostgreSQL, which store.postgres needs.",
                hint:
                    "Install libpq-dev. Build identity-lab again, with Examples/run or with: swift build --traits PostgreSQL"
            )
            #endif
        }
        var section = section
        let keys = try StoreKeys(&section)
        guard let path = try path ?? section?.optionalString("path") else {
            throw IdentityError(
                configuration: "Configuration member store.path is missing.",
                hint: "Set store.path or store.postgres, or pass --store PATH."
            )
        }
        let store = try await SQLiteStore.open(path: path, keys: keys) {
            $0.createsStore = creates
            $0.keepsJournal = true
        }
        return OpenedStore(store: store, path: path) { await store.close() }
    }

    /// Checks the members of the section `store`.
    ///
    /// - Throws: `IdentityError` that names the member.
    static func check(_ section: ConfigurationSection?) throws(IdentityError) {
        guard let section else { return }
        try section.check(members: members)
        let names = section.memberNames
        if !names.contains("postgres") {
            let rest = ["usesTransactionPooler", "direct", "allowsUnverifiedTLS", "schema", "spool"]
            for name in rest where names.contains(name) {
                throw section.error(name, "requires the member \"postgres\", which is missing")
            }
        } else if names.contains("path") {
            throw section.error("postgres", "conflicts with \"path\"", hint: "Remove store.postgres or store.path.")
        }
    }
}
