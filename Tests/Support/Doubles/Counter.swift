internal import Synchronization

/// A counter that several threads can use.
package final class Counter: Sendable {
    private let value = Atomic(0)

    package init() {}

    package var total: Int { value.load(ordering: .relaxed) }

    package func count() {
        value.add(1, ordering: .relaxed)
    }
}
