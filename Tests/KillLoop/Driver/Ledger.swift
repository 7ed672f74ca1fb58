/// What the processes of a run said, and what their deaths may have cost.
struct Ledger: Sendable {
    /// The claims that are open, by process.
    private var claims: [Int32: Set<String>] = [:]
    /// Sessions whose holder was killed between claim and journal, since their tokens were last kept.
    private(set) var hit: Set<String> = []
    /// The newest generation that a store has called durable, by session.
    private(set) var kept: [String: Int64] = [:]
    private(set) var ended: [String: String] = [:]
    private(set) var outcomes: [String: Int] = [:]
    private(set) var troubles: [String: Int] = [:]
    private(set) var hits = 0
    private(set) var kills = 0

    mutating func heard(_ line: String, from process: Int32) {
        let words = line.split(separator: " ").map(String.init)
        guard words.count >= 2 else { return }
        switch (words[0], words.count) {
        case ("claim", 2): claims[process, default: []].insert(words[1])
        case ("kept", 3):
            claims[process]?.remove(words[1])
            hit.remove(words[1])
            kept[words[1]] = max(kept[words[1]] ?? 0, Int64(words[2]) ?? 0)
        case ("got", 3): outcomes[words[2], default: 0] += 1
        case ("error", 4) where words[2] == "sign_in_again": ended[words[1]] = words[3]
        case ("error", 4): troubles[words[3], default: 0] += 1
        default: break
        }
    }

    /// A process was killed, and everything that it said has been heard.
    mutating func killed(_ process: Int32) {
        kills += 1
        let open = claims.removeValue(forKey: process) ?? []
        hits += open.count
        hit.formUnion(open)
    }
}
