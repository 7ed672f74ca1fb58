internal import Synchronization

/// A set in memory with a maximum number of elements, for facts that may be lost; any task may use it.
///
/// If a new element does not fit, some elements are evicted (``BoundedTable``).
final class BoundedSet<Element: Hashable & Sendable>: Sendable {
    private let elements: Mutex<BoundedTable<Element, Void>>

    init(maximum: Int) {
        elements = Mutex(BoundedTable(maximum: maximum))
    }

    /// Adds an element; returns false if the set contains it already.
    func insert(_ element: Element) -> Bool { elements.withLock { $0.insert(element) } }

    func remove(_ element: Element) { elements.withLock { $0.remove(element) } }

    func contains(_ element: Element) -> Bool { elements.withLock { $0[element] != nil } }
}
