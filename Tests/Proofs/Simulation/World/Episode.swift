/// The circumstances of a stretch of the history: how many processes, which locks, which provider, what goes wrong.
struct Episode {
    enum Locking: String, CaseIterable {
        /// Falls with its holder.
        case kernel
        /// Ends by the server's clock, whatever its holder does.
        case lease
        /// None; then there is one process.
        case none
    }

    /// What a provider does with a refresh token that comes again.
    enum Reuse: String, CaseIterable {
        case revokes
        /// Gives new tokens for 30 seconds, then revokes.
        case grace30
        /// Gives new tokens for 10 minutes, then revokes.
        case grace600
        /// Gives the same answer until its tokens are used.
        case repeats
    }

    enum Weather: String, CaseIterable {
        /// Nothing goes wrong.
        case calm
        /// Processes die.
        case crashes
        /// Processes die, their locks fall, and they come back at once, at a provider whose grace outlasts them.
        case quickRepair
        /// Answers get lost, late and bad.
        case network
        /// Writes fail, or seem to; the disk is full or slow.
        case store
        /// The store is away, for longer than a lease too, and answers are late.
        case storeOutage
        /// Processes are stopped for a while; clocks jump.
        case time
        case everything
    }

    /// So many of a thousand chances.
    struct Faults {
        /// Of an exchange to go wrong.
        var exchange = 0
        /// Of a tick to begin an outage of all providers.
        var outage = 0
        /// Of a tick to kill a process.
        var crash = 0
        /// Of a write to kill its process, before or after.
        var crashAtWrite = 0
        /// Of an exchange to be the last of its process.
        var crashInExchange = 0
        /// Of a tick to stop a process.
        var stop = 0
        /// Of an exchange to see its process stopped.
        var stopInExchange = 0
        /// Of a tick to move the wall clock.
        var clockJump = 0
        /// Of a write to end with an error, written or not.
        var writeError = 0
        /// Of a tick to fill the disk for a while.
        var diskFull = 0
        /// Of a write to be slow.
        var slowWrite = 0
        /// Of a tick to find the store away for a while.
        var storeOutage = 0
        /// Of a tick to end a family at the provider's own will.
        var revocation = 0
    }

    var weather: Weather
    var locking: Locking
    var reuse: Reuse
    var processes: Int
    var sessions: Int
    var lifetime: Duration
    var faults = Faults()

    init(_ random: inout SeededGenerator, showing mutant: Mutant) {
        weather = random.one(of: Weather.allCases)
        locking = random.permille(100) ? .none : random.one(of: [.kernel, .kernel, .lease])
        if mutant == .ignoresGeneration {
            // A lock that its holder keeps keeps everybody else out, whatever the generation.
            weather = .time
            locking = .lease
        }
        if mutant == .neverAsksTheLease {
            weather = .time
            locking = .lease
        }
        if mutant == .judgesByNow || mutant == .resendsRefused { weather = .network }
        if mutant == .writesNoJournal { weather = .crashes }
        reuse = random.one(of: Reuse.allCases)
        if weather == .quickRepair {
            reuse = .grace600
            locking = .kernel
        }
        processes = locking == .none ? 1 : 2 + random.below(4)
        sessions = 4 + random.below(9)
        lifetime = .seconds(random.one(of: [90, 180, 300, 600]))
        let isAll = weather == .everything
        if weather == .crashes || weather == .quickRepair || isAll {
            faults.crash = 25
            faults.crashAtWrite = 10
            faults.crashInExchange = 60
        }
        if weather == .network || isAll {
            faults.exchange = 250
            faults.outage = 4
            faults.revocation = 2
        }
        if weather == .store || isAll {
            faults.writeError = 60
            faults.diskFull = 6
            faults.slowWrite = 60
        }
        if weather == .storeOutage || isAll {
            faults.storeOutage = 30
            faults.slowWrite = 60
        }
        if weather == .time || isAll {
            faults.stop = 12
            faults.stopInExchange = 60
            faults.clockJump = 8
            faults.slowWrite = 60
        }
    }
}

extension Episode: CustomStringConvertible {
    var description: String {
        "\(weather.rawValue), \(processes) processes, \(sessions) sessions of \(lifetime), lock \(locking.rawValue), "
            + "reuse \(reuse.rawValue)"
    }
}
