internal import Glibc

/// The command `store-proof errors [POINTS] | power-loss STATES [SEED] | kill ROUNDS [SEED] | full [FOLDER] |
/// read-only FOLDER [prepare]`.
///
/// The first three forms accept a mutant at the end.
@main
enum Program {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            guard let isGood = try await run(arguments) else {
                print(
                    "store-proof errors [POINTS] | power-loss STATES [SEED] | kill ROUNDS [SEED]  [MUTANT]\n"
                        + "store-proof full [FOLDER] | read-only FOLDER [prepare]"
                )
                exit(2)
            }
            exit(isGood ? 0 : 1)
        } catch {
            print("BROKEN: \(error)")
            exit(1)
        }
    }

    /// Returns nil if the arguments are invalid.
    private static func run(_ arguments: [String]) async throws -> Bool? {
        var rest = arguments
        // The last argument may name a mutant, which the proof must detect.
        let mutant = rest.last.flatMap(Mutant.init) ?? .none
        if mutant != .none, rest.first != "writer" { rest.removeLast() }
        let numbers = rest.dropFirst().map { UInt64($0) ?? 0 }
        let seed = numbers.count > 1 && numbers[1] > 0 ? numbers[1] : UInt64.random(in: 1...999_999_999)
        switch (rest.first, numbers.first) {
        case ("errors", let points):
            return try await ErrorSweep(limit: points.flatMap { $0 == 0 ? nil : Int(clamping: $0) }, mutant: mutant)
                .run()
        case ("power-loss", let states?) where states > 0:
            return try await PowerLoss(states: Int(clamping: states), seed: seed, mutant: mutant).run()
        case ("kill", let rounds?) where rounds > 0:
            return try await KillRounds(rounds: Int(clamping: rounds), seed: seed, mutant: mutant).run()
        case ("read-only", _) where rest.count == 3 && rest[2] == "prepare":
            try await ReadOnlyDisk(path: rest[1]).prepare()
            return true
        case ("read-only", _) where rest.count == 2: return try await ReadOnlyDisk(path: rest[1]).run()
        case ("full", _): return try await FullDisk(path: rest.count > 1 ? rest[1] : nil).run()
        case ("writer", _) where rest.count == 5:
            try await KillRounds.write(rest[1], Int(rest[2]) ?? 0, isLog: rest[3] == "log", mutant)
            return true
        default: return nil
        }
    }
}
