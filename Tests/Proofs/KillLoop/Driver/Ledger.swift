/// Records the reports of the processes and the sessions that kills may have lost.
struct Ledger: Sendable {
    /// The open claims, by process: the claimed sessions with the generations of the claims.
    private var claims: [Int32: [String: Int64]] = [:]
    /// Sessions whose lock holder was killed between claim and journal, since their tokens were last stored, with the claim's generation.
    private(set) var hit: [String: Int64] = [:]
    /// The newest generation that a store reported as durable, by session.
    private(set) var kept: [String: Int64] = [:]
    private(set) var ended: [String: String] = [:]
    private(set) var outcomes: [String: Int] = [:]
    private(set) var troubles: [String: Int] = [:]
    private(set) var hits = 0
    private(set) var kills = 0
    /// Sessions whose lock holder was stopped between claim and journal for longer than others wait.
    private(set) var stopHits = 0
    private(set) var longStops = 0
    /// Violations that processes reported, or that the driver found.
    private(set) var broken: [String] = []
    /// The times at which each process held a session's lock.
    private var holds: [String: [Hold]] = [:]

    private struct Hold {
        let process: Int32
        let from: Int64
        var to: Int64?
    }

    /// The processes that were stopped for longer than a lease: they lose their locks by design.
    private var sleepers: Set<Int32> = []

    mutating func heard(_ line: String, from process: Int32) {
        let words = line.split(separator: " ").map(String.init)
        guard words.count >= 2 else { return }
        switch (words[0], words.count) {
        case ("claim", 3): claims[process, default: [:]][words[1]] = Int64(words[2]) ?? 0
        case ("kept", 3):
            let generation = Int64(words[2]) ?? 0
            claims[process]?[words[1]] = nil
            // Lines of two processes arrive in any order, and only a save that is newer than the claim shows that the session is not lost.
            if let claim = hit[words[1]], generation > claim { hit[words[1]] = nil }
            kept[words[1]] = max(kept[words[1]] ?? 0, generation)
        case ("got", 3): outcomes[words[2], default: 0] += 1
        case ("error", 4) where words[2] == "sign_in_again": ended[words[1]] = words[3]
        case ("error", 4): troubles[words[3], default: 0] += 1
        case ("locked", 3):
            holds[words[1], default: []].append(Hold(process: process, from: Int64(words[2]) ?? 0))
        case ("unlocked", 3):
            let last = holds[words[1]]?.lastIndex { $0.process == process && $0.to == nil }
            if let last { holds[words[1]]?[last].to = Int64(words[2]) }
        case ("broken", 3): found("\(words[2]): session \(words[1])")
        default: break
        }
    }

    mutating func found(_ violation: String) { broken.append(violation) }

    /// How often two processes held the lock of one session at the same time, which must not happen.
    var overlaps: Int {
        holds.values.reduce(0) { count, holds in
            let sorted = holds.filter { !sleepers.contains($0.process) }.sorted { $0.from < $1.from }
            return count + zip(sorted, sorted.dropFirst()).count { ($0.to ?? .max) > $1.from }
        }
    }

    /// Records that a process was stopped for longer than a lease and will be resumed.
    mutating func stopped(_ process: Int32) {
        longStops += 1
        sleepers.insert(process)
        let open = claims[process] ?? [:]
        stopHits += open.count
        hit.merge(open) { max($0, $1) }
    }

    /// Records that a process was killed, after all its output was read; the process held its locks at least until `time`, the kill.
    mutating func killed(_ process: Int32, at time: Int64) {
        kills += 1
        for id in holds.keys {
            let last = holds[id]?.lastIndex { $0.process == process && $0.to == nil }
            if let last { holds[id]?[last].to = time }
        }
        let open = claims.removeValue(forKey: process) ?? [:]
        hits += open.count
        hit.merge(open) { max($0, $1) }
    }
}
