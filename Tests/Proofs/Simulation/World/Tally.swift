struct Tally {
    var episodes = 0
    var callers = 0
    var answered = 0
    var unavailable = 0
    /// Refresh tokens that a provider accepted, for the first time or again.
    var rotations = 0
    var replays = 0
    var crashes = 0
    /// Crashes between a provider's rotation and the journal, with the affected session.
    var crashesInTheGap = 0
    var stops = 0
    var clockJumps = 0
    var networkFaults = 0
    var storeFaults = 0
    var logouts = 0
    /// Exchanges that left a row in doubt, and rows in doubt that were repaired.
    var inDoubt = 0
    var repaired = 0
    var spooled = 0
    /// Required new logins, by reason.
    var logins: [String: Int] = [:]
    var familiesRevokedByRace = 0
    /// Tokens that were sent again, by the permitted reason.
    var resends: [ResendReason: Int] = [:]
    var storeOutages = 0
    var tokensLost = 0

    var total: Int { logins.values.reduce(0, +) }

    func summary(seed: UInt64, steps: Int, sum: UInt64) -> String {
        let reasons = logins.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        return """
            seed \(seed): \(steps) steps, \(episodes) episodes, \(callers) calls (\(answered) answered, \(unavailable) \
            temporarily not), \(rotations) refreshes, \(replays) replayed in grace, \(crashes) crashes \
            (\(crashesInTheGap) in the gap), \(stops) stops, \(clockJumps) clock jumps, \(networkFaults) network faults, \
            \(storeFaults) store faults, \(logouts) logouts, \(inDoubt) in doubt, \(repaired) repaired, \(spooled) spooled, \
            \(total) new logins (\(reasons)), \
            \(familiesRevokedByRace) families revoked by a race, \(tokensLost) acknowledged tokens lost, \
            \(storeOutages) store outages, sent again because of: \(resendText), history \(String(sum, radix: 16))
            """
    }

    private var resendText: String {
        ResendReason.allCases.map { "\($0.rawValue) \(resends[$0] ?? 0)" }.joined(separator: ", ")
    }

    /// Describes a reason that was used more often than it occurred, or nil if no reason was.
    var excess: String? {
        let bounds: [ResendReason: Int] = [
            .answerLost: inDoubt, .crash: crashes, .machineDown: min(crashes, spooled), .stopped: stops,
            .savedNowhere: storeFaults / 20,
        ]
        for reason in ResendReason.allCases {
            guard let count = resends[reason], let bound = bounds[reason], count > bound else { continue }
            return
                "\(count) tokens were sent again because of \(reason.rawValue), which happened at most \(bound) times"
        }
        return nil
    }
}
