internal import IdentityKit

/// The keys of a store: one key that seals records, and any number of keys that only open them.
public struct StoreKeys: Sendable {
    /// Seals new records.
    public var active: StoreKey
    /// Open records that were sealed before a rotation.
    public var readOnly: [StoreKey]

    /// Keys for one store.
    ///
    /// - Parameters:
    ///   - active: Seals what is saved.
    ///   - readOnly: Only open; none by default.
    public init(active: StoreKey, readOnly: [StoreKey] = []) {
        self.active = active
        self.readOnly = readOnly
    }

    /// The key with this identifier.
    package func key(_ identifier: some Sequence<UInt8>) -> StoreKey? {
        // A linear search, because there are two or three keys in practice.
        ([active] + readOnly).first { $0.identifier.elementsEqual(identifier) }
    }
}

/// A source of a store's keys: the environment, files, or a key service.
///
/// ``ReferencedKeys`` reads the environment and files. For a key service write your own source, as `Documentation/Operating/Keys.md`
/// shows.
public protocol StoreKeySource: Sendable {
    /// The keys. A store asks once, when it is opened.
    ///
    /// - Throws: `IdentityError`: of kind `configuration` when an operator has to act, of kind
    ///   `retryLater` when a service does not answer. Other errors are treated as the latter.
    func keys() async throws -> StoreKeys
}

extension StoreKeys: StoreKeySource {
    /// These keys.
    public func keys() async throws -> StoreKeys { self }
}

extension StoreKeySource {
    /// The keys, or an error of the SDK.
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
                "The source of the store's keys failed.",
                hint:
                    "Read the cause of this error: it is the error of the source. The store was not opened or changed.",
                cause: error
            )
        }
    }
}
