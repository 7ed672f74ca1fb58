/// A priority queue of timers; timers of the same time keep the order in which they were added.
struct TimerHeap {
    typealias Ticket = Int

    private struct Entry {
        let time: Duration
        let ticket: Ticket
        let owner: Owner

        func isBefore(_ other: Entry) -> Bool {
            (time, ticket) < (other.time, other.ticket)
        }
    }

    private var entries: [Entry] = []
    private var bodies: [Ticket: () -> Void] = [:]
    private var lastTicket = 0

    var next: Duration? { entries.first?.time }

    mutating func add(at time: Duration, owner: Owner, _ body: @escaping () -> Void) -> Ticket {
        lastTicket += 1
        bodies[lastTicket] = body
        entries.append(Entry(time: time, ticket: lastTicket, owner: owner))
        var index = entries.count - 1
        while index > 0, entries[index].isBefore(entries[(index - 1) / 2]) {
            entries.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
        return lastTicket
    }

    mutating func cancel(_ ticket: Ticket) {
        bodies[ticket] = nil
    }

    /// Removes and returns the first timer that was not cancelled.
    mutating func removeFirst() -> (time: Duration, owner: Owner, body: () -> Void)? {
        while let first = entries.first {
            removeRoot()
            if let body = bodies.removeValue(forKey: first.ticket) { return (first.time, first.owner, body) }
        }
        return nil
    }

    private mutating func removeRoot() {
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        var index = 0
        while true {
            let children = [2 * index + 1, 2 * index + 2].filter { $0 < entries.count }
            guard let least = children.min(by: { entries[$0].isBefore(entries[$1]) }),
                entries[least].isBefore(entries[index])
            else { return }
            entries.swapAt(index, least)
            index = least
        }
    }
}
