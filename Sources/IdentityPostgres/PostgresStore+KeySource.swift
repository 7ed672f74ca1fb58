public import IdentityKit
public import IdentityStoreKit

extension PostgresStore {
    /// Opens a store with keys from a source, which is asked once.
    ///
    /// - Parameters:
    ///   - connection: A `postgresql://` URL or libpq's keywords and values.
    ///   - source: Where the keys come from.
    ///   - change: Sets what is not to be as by default.
    /// - Returns: The opened store.
    /// - Throws: `IdentityError` of the source, `store_key_unavailable` where the source failed with an error of its own, or what
    ///   ``open(_:)`` throws.
    public static func open(
        connection: Secret,
        keys source: some StoreKeySource,
        configuring change: (inout Configuration) -> Void = { _ in }
    ) async throws -> PostgresStore {
        let keys = try await source.loadedKeys()
        var configuration = Configuration(connection: connection, key: keys.active, readOnlyKeys: keys.readOnly)
        change(&configuration)
        return try await open(configuration)
    }
}
