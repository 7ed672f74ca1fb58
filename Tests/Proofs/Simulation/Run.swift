internal import Glibc

/// A run: episodes, until the number of steps is reached or a rule is violated.
final class Run {
    let seed: UInt64
    let steps: Int
    let scheduler: Scheduler
    let history: History
    let mutant: Mutant
    let mint: TokenMint
    var tally = Tally()
    var nextOwner: Owner = 1

    init(seed: UInt64, steps: Int, mutant: Mutant, historyPath: String?) throws {
        self.seed = seed
        self.steps = steps
        self.mutant = mutant
        mint = try TokenMint()
        scheduler = Scheduler(seed: seed)
        history = History(path: historyPath)
    }

    /// Returns true if no rule was violated.
    func run() throws -> Bool {
        RuntimeHooks.install(scheduler)
        while scheduler.steps < steps {
            let episode = Episode(&scheduler.random, showing: mutant)
            let world = World(self, episode)
            try world.run(steps: min(4000, steps - scheduler.steps))
            tally = world.tally
            nextOwner = world.nextOwner
            if let violation = world.violation { return fail(violation, episode) }
        }
        print(tally.summary(seed: seed, steps: scheduler.steps, sum: history.sum))
        return true
    }

    private func fail(_ violation: String, _ episode: Episode) -> Bool {
        for line in history.tail(80) { print(line) }
        print("BROKEN: \(violation)")
        print("episode: \(episode)")
        print(tally.summary(seed: seed, steps: scheduler.steps, sum: history.sum))
        print("repeat: Tests/Proofs/simulate \(steps) \(seed)\(mutant == .none ? "" : " --mutant \(mutant.rawValue)")")
        return false
    }
}
