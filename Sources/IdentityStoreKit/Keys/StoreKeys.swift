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
