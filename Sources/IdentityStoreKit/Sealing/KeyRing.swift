/// The keys of a store: one that seals, and any number that only open what was sealed before.
package struct KeyRing: Sendable {
    package let active: StoreKey
    package let readOnly: [StoreKey]

    /// A ring of the given keys; a key that is named twice counts once.
    package init(active: StoreKey, readOnly: [StoreKey] = []) {
        self.active = active
        self.readOnly = readOnly.filter { $0.identifier != active.identifier }
    }

    package var all: [StoreKey] { [active] + readOnly }

    package func key(_ identifier: some Sequence<UInt8>) -> StoreKey? {
        // Two or three keys at most in practice: a search is faster than hashing.
        if active.identifier.elementsEqual(identifier) { return active }
        return readOnly.first { $0.identifier.elementsEqual(identifier) }
    }
}
