internal import IdentityKit

/// A source of a store's keys: the environment, files, or a key service.
///
/// ``ReferencedKeys`` reads the environment and files. For a key service, write your own source: see `Documentation/Operating/Keys.md`.
public protocol StoreKeySource: Sendable {
    /// Returns the keys; a store calls this method once, when it is opened.
    ///
    /// - Throws: `IdentityError`: of kind `configuration` when an operator has to act, of kind `retryLater` when a service does not
    ///   respond. Any other error, except `CancellationError`, becomes the cause of `store_key_unavailable`, of kind `retryLater`.
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
                "The source of the store's keys did not return the keys.",
                hint:
                    "Read the cause of this error: it is the error that the source threw. The store was not opened or changed.",
                cause: error
            )
        }
    }
}
