internal import IdentityKit
public import IdentityStoreKit

extension SQLiteStore {
    /// Opens a store with keys from a source, which is asked once.
    ///
    /// - Parameters:
    ///   - path: The database file.
    ///   - source: Where the keys come from.
    ///   - change: Sets what is not to be as by default.
    /// - Returns: The opened store.
    /// - Throws: `IdentityError` of the source, `store_key_unavailable` where the source failed with an error of its own, or what
    ///   ``open(_:)`` throws.
    public static func open(
        path: String,
        keys source: some StoreKeySource,
        configuring change: (inout Configuration) -> Void = { _ in }
    ) async throws -> SQLiteStore {
        let keys = try await source.loadedKeys()
        var configuration = Configuration(path: path, key: keys.active, readOnlyKeys: keys.readOnly)
        change(&configuration)
        return try await open(configuration)
    }
}
