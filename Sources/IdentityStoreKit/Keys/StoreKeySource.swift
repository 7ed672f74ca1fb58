internal import IdentityKit

/// The keys of a store: one that seals, and any number that only open what was sealed before.
public struct StoreKeys: Sendable {
    /// Seals what is saved.
    public var active: StoreKey
    /// Open what was sealed before, during a rotation.
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
}

/// Where a store's keys come from: the environment, files, or a service that unwraps them.
///
/// ``ReferencedKeys`` is the ready one; for a key service an app writes its own, as Documentation/Operating/Keys.md shows.
public protocol StoreKeySource: Sendable {
    /// The keys, asked for once, when a store is opened.
    ///
    /// - Throws: ``IdentityError``: of kind ``IdentityError/Kind/configuration`` when an operator has to act, of kind
    ///   ``IdentityError/Kind/retryLater`` when a service does not answer. Any other error counts as the latter.
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
            throw IdentityError(.cancelled, .cancelled, "The operation was cancelled.")
        } catch {
            throw IdentityError(
                .retryLater,
                .storeKeyUnavailable,
                "The keys of the store cannot be had at the moment.",
                hint: "See what their source says; the store was not opened, and nothing was changed.",
                cause: error
            )
        }
    }
}
