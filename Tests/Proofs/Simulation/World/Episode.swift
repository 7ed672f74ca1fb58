internal import TestDoubles

/// The settings of an episode: number of processes, kind of locks, providers and faults.
struct Episode {
    enum Locking: String, CaseIterable {
        /// The lock is released when its holder ends.
        case kernel
        /// The lock is a lease, which expires if its holder does not renew it.
        case lease
    }

    /// The reaction of a provider to a used refresh token.
    enum Reuse: String, CaseIterable {
        case revokes
        /// The provider issues new tokens within 30 seconds after the first use, and revokes the family later.
        case grace30
        /// The provider issues new tokens within 10 minutes after the first use, and revokes the family later.
        case grace600
        /// The provider repeats the same response until the tokens of this response are used.
        case repeats
    }

    enum FaultProfile: String, CaseIterable {
        case noFaults
        case crashes
        /// Processes crash, their locks are released, and they restart immediately within the provider's grace.
        case quickRepair
        /// Responses are lost, late or invalid.
        case network
        /// Writes fail or report errors after they succeeded; the disk is full or slow.
        case store
        /// The store is down, also for longer than a lease, and responses are late.
        case storeOutage
        /// Processes are stopped for a while; clocks jump.
        case time
        case everything
    }

    /// The probabilities of faults in thousandths; a tick is a moment at which the simulation chooses an event.
    struct Faults {
        /// The probability that an exchange fails.
        var exchange = 0
        /// That an outage of all providers begins at a tick.
        var outage = 0
        /// That a process is killed at a tick.
        var crash = 0
        /// That the process is killed before or after a write.
        var crashAtWrite = 0
        /// That the process is killed during an exchange.
        var crashInExchange = 0
        /// That a process is stopped at a tick.
        var stop = 0
        /// That the process is stopped during an exchange.
        var stopInExchange = 0
        /// That the wall clock is moved at a tick.
        var clockJump = 0
        /// That a write ends with an error, written or not.
        var writeError = 0
        /// That the disk becomes full for a while at a tick.
        var diskFull = 0
        /// That a write is slow.
        var slowWrite = 0
        /// That the store is down for a while from a tick on.
        var storeOutage = 0
        /// That the provider revokes a family at a tick.
        var revocation = 0
    }

    var profile: FaultProfile
    var locking: Locking
    var reuse: Reuse
    var processes: Int
    var sessions: Int
    var lifetime: Duration
    var faults = Faults()

    init(_ random: inout SeededGenerator, showing mutant: Mutant) {
        profile = random.one(of: FaultProfile.allCases)
        locking = random.one(of: [.kernel, .kernel, .lease])
        if mutant == .ignoresGeneration {
            // Only a lease can expire while its holder works. With a kernel lock no two processes save at the same time, so the
            // fault would not show.
            profile = .time
            locking = .lease
        }
        if mutant == .neverAsksTheLease {
            profile = .time
            locking = .lease
        }
        if mutant == .validatesByNow || mutant == .resendsRefused { profile = .network }
        if mutant == .writesNoJournal { profile = .crashes }
        reuse = random.one(of: Reuse.allCases)
        if profile == .quickRepair {
            reuse = .grace600
            locking = .kernel
        }
        processes = 2 + random.below(4)
        sessions = 4 + random.below(9)
        lifetime = .seconds(random.one(of: [90, 180, 300, 600]))
        let isAll = profile == .everything
        if profile == .crashes || profile == .quickRepair || isAll {
            faults.crash = 25
            faults.crashAtWrite = 10
            faults.crashInExchange = 60
        }
        if profile == .network || isAll {
            faults.exchange = 250
            faults.outage = 4
            faults.revocation = 2
        }
        if profile == .store || isAll {
            faults.writeError = 60
            faults.diskFull = 6
            faults.slowWrite = 60
        }
        if profile == .storeOutage || isAll {
            faults.storeOutage = 30
            faults.slowWrite = 60
        }
        if profile == .time || isAll {
            faults.stop = 12
            faults.stopInExchange = 60
            faults.clockJump = 8
            faults.slowWrite = 60
        }
    }
}

extension Episode: CustomStringConvertible {
    var description: String {
        "\(profile.rawValue), \(processes) processes, \(sessions) sessions of \(lifetime), lock \(locking.rawValue), "
            + "reuse \(reuse.rawValue)"
    }
}
