#if PostgreSQL
/// A queue of the statements that wait for a connection, in the order of their arrival.
struct WaitQueue {
    private var items: [StatementCall?] = []
    private var head = 0
    private(set) var count = 0
    private(set) var writers = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ call: StatementCall) {
        items.append(call)
        count += 1
        if call.needsWriting { writers += 1 }
    }

    /// Takes the oldest call, or if `readersOnly` is true, the oldest call that only reads; nil if there is no such call.
    mutating func take(readersOnly: Bool) -> StatementCall? {
        if readersOnly, writers == count { return nil }
        for index in head..<items.count {
            guard let call = items[index], !(readersOnly && call.needsWriting) else { continue }
            remove(at: index, call)
            return call
        }
        return nil
    }

    mutating func takeAll(where condition: (StatementCall) -> Bool) -> [StatementCall] {
        let taken = items.compactMap { $0 }.filter(condition)
        items = items.filter { $0.map { !condition($0) } ?? false }
        head = 0
        count = items.count
        writers = items.count { $0?.needsWriting ?? false }
        return taken
    }

    mutating func failAll(_ failure: PostgresFailure) {
        for call in takeAll(where: { _ in true }) { call.fail(failure) }
    }

    var earliestDeadline: ContinuousClock.Instant? {
        items.compactMap { $0?.deadline }.min()
    }

    private mutating func remove(at index: Int, _ call: StatementCall) {
        items[index] = nil
        count -= 1
        if call.needsWriting { writers -= 1 }
        while head < items.count, items[head] == nil { head += 1 }
        if head > 64, head * 2 > items.count {
            items.removeFirst(head)
            head = 0
        }
    }
}
#endif
