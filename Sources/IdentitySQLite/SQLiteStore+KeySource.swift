internal import IdentityKit
public import IdentityStoreKit

extension SQLiteStore {
    /// Opens a store with keys from a source, which is asked once.
    ///
    /// - Parameters:
    ///   - path: The database file.
    ///   - source: The source of the keys.
    ///   - change: A function that changes further options.
    /// - Returns: The opened store.
    /// - Throws: The source's `IdentityError` or cancellation, `store_key_unavailable` for its other errors, or an error of ``open(_:)``.
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
