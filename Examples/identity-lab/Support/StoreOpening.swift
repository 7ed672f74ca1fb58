internal import IdentityKit
internal import IdentitySQLite

/// Opens the session database that options and configuration name.
enum StoreOpening {
    /// Opens the store.
    ///
    /// - Parameters:
    ///   - section: The configuration's `store`, of which only what is needed is asked for.
    ///   - path: What `--store` says; it goes before `store.path`.
    static func open(_ section: ConfigurationSection?, path: String?) async throws -> SQLiteStore {
        let location = try self.path(section, path: path)
        var configuredKey: Secret?
        if var section {
            _ = try section.optionalString("path")
            configuredKey = try section.optionalSecret("key")
            try section.finish()
        }
        let variable = IdentityConfiguration.processEnvironment["IDENTITY_STORE_KEY"]
        guard let key = configuredKey ?? variable.flatMap({ $0.isEmpty ? nil : Secret($0) }) else {
            throw IdentityError(
                .configuration,
                .configurationInvalid,
                "Configuration member store.key is missing, and IDENTITY_STORE_KEY is not set.",
                hint: "Make a key with `openssl rand -hex 32`."
            )
        }
        return try await SQLiteStore.open(
            SQLiteStore.Configuration(path: location, key: try StoreKey(hexadecimal: key))
        )
    }

    /// The path of the database.
    static func path(_ section: ConfigurationSection?, path: String?) throws -> String {
        var section = section
        let configured = try section?.optionalString("path")
        guard let path = path ?? configured else {
            throw IdentityError(
                .configuration,
                .configurationInvalid,
                "Configuration member store.path is missing.",
                hint: "Name the database there, or with --store PATH."
            )
        }
        return path
    }
}
