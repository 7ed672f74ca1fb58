internal import IdentitySandbox

struct RunPlan: Sendable {
    var kills = 200
    var processes = 4
    var reuse = SandboxTokenReuse.revokes
    var postgres: String?
    /// The number of sessions; leases need more to keep the processes busy, because a session then waits seconds after a kill.
    var sessions: Int { postgres == nil ? 20 : 60 }
    /// How often the gap must be hit before the kills end.
    var hits = 0
    /// A fault that the run must detect.
    var mutant: Mutant?
    /// Whether many callers refresh one expired session, instead of kills.
    var isStorm = false

    init?(_ arguments: [String]) {
        var places: [String] = []
        var rest = arguments[...]
        while let word = rest.popFirst() {
            switch word {
            case "--postgres":
                guard let value = rest.popFirst() else { return nil }
                postgres = value
            case "--hits":
                guard let number = rest.popFirst().flatMap({ Int($0) }), number >= 0 else { return nil }
                hits = number
            case "--mutant":
                guard let known = rest.popFirst().flatMap({ Mutant(rawValue: $0) }) else { return nil }
                mutant = known
            case "--storm": isStorm = true
            default: places.append(word)
            }
        }
        guard places.count <= 3 else { return nil }
        if places.count > 0 {
            guard let number = Int(places[0]), number >= 0 else { return nil }
            kills = number
        }
        if places.count > 1 {
            guard let number = Int(places[1]), (1...64).contains(number) else { return nil }
            processes = number
        }
        if places.count > 2 {
            if places[2] == "repeats" {
                reuse = .repeatsResponse
            } else {
                guard let seconds = Int(places[2]), seconds >= 0 else { return nil }
                reuse = seconds == 0 ? .revokes : .grace(.seconds(seconds))
            }
        }
    }
}
