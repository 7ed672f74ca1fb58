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
}
