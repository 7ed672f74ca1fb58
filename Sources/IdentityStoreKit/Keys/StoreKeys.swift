public import IdentityKit

/// The keys of a store: one key that seals (encrypts) records, and any number of keys that only open (decrypt) them.
public struct StoreKeys: Sendable {
    /// The key that seals new records.
    public var active: StoreKey
    /// The keys that only open records, such as the keys that were active before a rotation.
    public var readOnly: [StoreKey]

    /// Creates the keys of one store.
    ///
    /// - Parameters:
    ///   - active: The key that seals new records.
    ///   - readOnly: The keys that only open records, by default an empty list.
    public init(active: StoreKey, readOnly: [StoreKey] = []) {
        self.active = active
        self.readOnly = readOnly
    }

    package func key(_ identifier: some Sequence<UInt8>) -> StoreKey? {
        if active.identifier.elementsEqual(identifier) { return active }
        return readOnly.first { $0.identifier.elementsEqual(identifier) }
    }

    /// Reads the keys of the configuration's section `store`: the members `key` and `readOnlyKeys`.
    ///
    /// If the section has no member `key`, the active key comes from the environment variable `IDENTITY_STORE_KEY`.
    ///
    /// - Parameter section: The section; nil if the configuration does not contain it.
    /// - Throws: `IdentityError` that names the member or the variable of the missing or invalid key.
    public init(_ section: inout ConfigurationSection?) throws {
        let configured = try section?.optionalSecret("key")
        let readOnly = try section?.optionalSecrets("readOnlyKeys") ?? []
        let variable = IdentityConfiguration.processEnvironment["IDENTITY_STORE_KEY"]
        guard let key = configured ?? variable.flatMap({ $0.isEmpty ? nil : Secret($0) }) else {
            throw IdentityError(
                configuration:
                    "Configuration member store.key is missing, and IDENTITY_STORE_KEY is not set or is empty.",
                hint:
                    "Set IDENTITY_STORE_KEY to the store's key, or write a reference to the key into store.key. For a new store, "
                    + "create a key (64 hexadecimal digits) with `openssl rand -hex 32`."
            )
        }
        let source =
            configured == nil ? "the environment variable IDENTITY_STORE_KEY" : "the configuration member store.key"
        self.init(
            active: try StoreKey(hexadecimal: key, from: source),
            readOnly: try readOnly.enumerated().map {
                try StoreKey(hexadecimal: $1, from: "the configuration member store.readOnlyKeys[\($0)]")
            }
        )
    }
}

extension IdentityError {
    package static var missingStoreSection: IdentityError {
        IdentityError(
            configuration: "Configuration member store is missing.",
            hint: """
                Add the member "store" to the configuration: with store.path if the app opens a SQLite store, with store.postgres if the \
                app opens a PostgreSQL store. \(ConfigurationSection.pageReference)
                """
        )
    }
}
