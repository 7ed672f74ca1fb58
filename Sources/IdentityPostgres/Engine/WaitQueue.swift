#if PostgreSQL
/// A queue of the statements and transactions that wait for a connection, in the order of their arrival.
struct WaitQueue {
    enum Waiter {
        case call(StatementCall)
        case transactionRequest(TransactionRequest)

        var needsWriting: Bool {
            switch self {
            case .call(let call): call.needsWriting
            case .transactionRequest: true
            }
        }

        var deadline: ContinuousClock.Instant {
            switch self {
            case .call(let call): call.deadline
            case .transactionRequest(let request): request.deadline
            }
        }

        func fail(_ failure: PostgresFailure) {
            switch self {
            case .call(let call): call.fail(failure)
            case .transactionRequest(let request): request.fail(failure)
            }
        }
    }

    private var items: [Waiter?] = []
    private var head = 0
    private(set) var count = 0
    /// The number of calls that need to write.
    private(set) var writers = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ waiter: Waiter) {
        items.append(waiter)
        count += 1
        if waiter.needsWriting { writers += 1 }
    }

    /// Takes the oldest call, or if `readersOnly` is true, the oldest call that only reads; nil if there is no such call.
    mutating func take(readersOnly: Bool) -> Waiter? {
        if readersOnly, writers == count { return nil }
        var index = head
        while index < items.count {
            if let waiter = items[index], !(readersOnly && waiter.needsWriting) {
                remove(at: index, waiter)
                return waiter
            }
            index += 1
        }
        return nil
    }

    /// Takes all calls that match a condition.
    mutating func takeAll(where condition: (Waiter) -> Bool) -> [Waiter] {
        let taken = items.compactMap { $0 }.filter(condition)
        items = items.filter { $0.map { !condition($0) } ?? false }
        head = 0
        count = items.count
        writers = items.count { $0?.needsWriting ?? false }
        return taken
    }

    mutating func failAll(_ failure: PostgresFailure) {
        for waiter in takeAll(where: { _ in true }) { waiter.fail(failure) }
    }

    var earliestDeadline: ContinuousClock.Instant? {
        items.compactMap { $0?.deadline }.min()
    }

    private mutating func remove(at index: Int, _ waiter: Waiter) {
        items[index] = nil
        count -= 1
        if waiter.needsWriting { writers -= 1 }
        while head < items.count, items[head] == nil { head += 1 }
        if head > 64, head * 2 > items.count {
            items.removeFirst(head)
            head = 0
        }
    }
}
#endif
