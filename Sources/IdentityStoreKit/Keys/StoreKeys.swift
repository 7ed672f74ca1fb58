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
    ///   - active: The key that seals what is saved.
    ///   - readOnly: The keys that only open; none by default.
    public init(active: StoreKey, readOnly: [StoreKey] = []) {
        self.active = active
        self.readOnly = readOnly
    }

    /// The key with this identifier; nil if no key has it.
    package func key(_ identifier: some Sequence<UInt8>) -> StoreKey? {
        if active.identifier.elementsEqual(identifier) { return active }
        return readOnly.first { $0.identifier.elementsEqual(identifier) }
    }
}

/// A source of a store's keys: the environment, files, or a key service.
///
/// ``ReferencedKeys`` reads the environment and files. For a key service write your own source, as `Documentation/Operating/Keys.md`
/// shows.
public protocol StoreKeySource: Sendable {
    /// Returns the keys; a store calls this method once, when it is opened.
    ///
    /// - Throws: `IdentityError`: of kind `configuration` when an operator has to act, of kind
    ///   `retryLater` when a service does not respond. Another error becomes the cause of `store_key_unavailable`, of kind `retryLater`.
    func keys() async throws -> StoreKeys
}

extension StoreKeys: StoreKeySource {
    /// Returns these keys.
    public func keys() async throws -> StoreKeys { self }
}

extension StoreKeySource {
    /// The keys; throws every error of the source as an `IdentityError`.
    package func loadedKeys() async throws -> StoreKeys {
        do {
            return try await keys()
        } catch let error as IdentityError {
            throw error
        } catch is CancellationError {
            throw IdentityError.cancellation()
        } catch {
            throw IdentityError(
                .retryLater,
                .storeKeyUnavailable,
                "The source of the store's keys did not return them.",
                hint:
                    "Read the cause of this error: it is the error that the source threw. The store was not opened or changed.",
                cause: error
            )
        }
    }
}

extension StoreKeys {
    /// Reads the keys of the configuration's section `store`: the members `key` and `readOnlyKeys`.
    ///
    /// Without `key`, the environment variable `IDENTITY_STORE_KEY` holds the active key.
    ///
    /// - Parameter section: The section; nil if the configuration has none.
    /// - Throws: `IdentityError` that names the member or the variable.
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
        let active = try Self.key(key, configured == nil ? "IDENTITY_STORE_KEY" : "store.key")
        self.init(
            active: active,
            readOnly: try readOnly.enumerated().map { try Self.key($1, "store.readOnlyKeys[\($0)]") }
        )
    }

    /// Decodes a key; errors name the member or variable that contains it.
    private static func key(_ digits: Secret, _ source: String) throws(IdentityError) -> StoreKey {
        do {
            return try StoreKey(hexadecimal: digits)
        } catch {
            throw IdentityError(error.kind, error.code, "\(source): \(error.message)", hint: error.hint, cause: error)
        }
    }
}

extension IdentityError {
    /// The error of a store that is opened from a configuration without the section `store`.
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
