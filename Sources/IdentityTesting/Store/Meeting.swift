internal import Synchronization

/// A point at which tasks wait until a number of tasks has arrived.
///
/// A conformance case uses a meeting to make tasks overlap, however busy the machine is.
final class Meeting: Sendable {
    private let missing: Mutex<Int>

    init(of number: Int) { missing = Mutex(number) }

    func arrive() { missing.withLock { $0 -= 1 } }

    /// Returns when all have arrived, or when the task is cancelled.
    func waitForAll() async {
        while missing.withLock({ $0 > 0 }), !Task.isCancelled { await Task.yield() }
    }
}
