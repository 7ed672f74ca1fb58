import Synchronization

/// Counts across threads.
final class Counter: Sendable {
    private let value = Atomic(0)

    var total: Int { value.load(ordering: .relaxed) }

    func count() {
        value.add(1, ordering: .relaxed)
    }
}
