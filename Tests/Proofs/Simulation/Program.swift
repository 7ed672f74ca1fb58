internal import Glibc

/// The command `identity-simulator [--steps N] [--seed N] [--history FILE] [--mutant NAME]`.
@main
enum Program {
    static func main() {
        exit(run(Array(CommandLine.arguments.dropFirst())))
    }

    nonisolated private static func run(_ arguments: [String]) -> Int32 {
        // Dictionaries must iterate in the same order in every run; the runtime reads this variable when the process starts.
        if unsafe getenv("SWIFT_DETERMINISTIC_HASHING") == nil { return startAgain(arguments) }
        defer { fflush(nil) }
        var steps = 20_000
        var seed = UInt64.random(in: 1...999_999_999)
        var historyPath: String?
        var mutant = Mutant.none
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { return usage() }
            switch name {
            case "--steps": steps = Int(value) ?? 0
            case "--seed": seed = UInt64(value) ?? 0
            case "--history": historyPath = value
            case "--mutant":
                guard let known = Mutant(rawValue: value) else { return usage() }
                mutant = known
            default: return usage()
            }
        }
        guard steps > 0, seed > 0 else { return usage() }
        do {
            let run = try Run(seed: seed, steps: steps, mutant: mutant, historyPath: historyPath)
            return try run.run() ? 0 : 1
        } catch {
            print("\(error)")
            return 70
        }
    }

    nonisolated private static func usage() -> Int32 {
        let mutants = Mutant.allCases.filter { $0 != .none }.map(\.rawValue).joined(separator: "|")
        print("identity-simulator [--steps N] [--seed N] [--history FILE] [--mutant \(mutants)]")
        return 2
    }

    nonisolated private static func startAgain(_ arguments: [String]) -> Int32 {
        unsafe setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
        let words = unsafe (["identity-simulator"] + arguments).map { unsafe strdup($0) } + [nil]
        _ = unsafe execv("/proc/self/exe", words)
        return 70
    }
}
