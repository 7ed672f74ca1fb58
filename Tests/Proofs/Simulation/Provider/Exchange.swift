internal import IdentityKit

/// Why a refresh token may be sent although it was sent before.
///
/// Everything else is a fault of ours.
enum Excuse: String, CaseIterable {
    /// Nothing usable came back.
    case answerLost = "answer lost"
    /// Its process died before the answer was saved.
    case crash
    /// Its process died, and the tokens are in the spool of a machine that is away.
    case machineAway = "machine away"
    /// Its process was stopped for longer than others wait.
    case stopped
    /// Its process lives, and neither the store nor its spool took the tokens.
    case nowhereDurable = "nowhere durable"
}

/// One request with a refresh token, and what became of it.
final class Exchange: @unchecked Sendable {
    enum State {
        /// The client waits.
        case inFlight
        /// The client has usable tokens.
        case delivered
        /// The client has nothing usable: an error, a page, or no answer at all.
        case failed
    }

    let process: VirtualProcess
    let text: String
    let sentAt: Duration
    var state = State.inFlight
    /// The number of the tokens that the provider made for it.
    var rotatedTo: Int?
    /// Whether the store has called the answer, or its tokens, saved.
    var isSaved = false
    /// Whether its process has put them into its spool.
    var isSpooled = false

    init(_ process: VirtualProcess, _ text: String, at now: Duration) {
        self.process = process
        self.text = text
        sentAt = now
    }

    /// Why nobody else could have its answer, so that the token may be sent again; nil when there is no excuse.
    func excuse(_ locking: Episode.Locking, now: Duration) -> Excuse? {
        if state == .failed { return .answerLost }
        guard !isSaved else { return nil }
        if process.isDead { return isSpooled ? .machineAway : .crash }
        // A kernel lock stays with a process that is stopped.
        if locking != .kernel, process.wasStopped(for: Self.patience, since: sentAt, now: now) { return .stopped }
        return process.refusals(since: sentAt) >= 2 && !isSpooled ? .nowhereDurable : nil
    }

    /// For how long a process leaves a claim alone whose holder may be alive: timeout, time for saving and one repair interval.
    ///
    /// A holder that is stopped for longer is taken for dead.
    private static let patience = Providers.timeout + .seconds(10)
}

/// What descends from one login at a provider: refresh tokens of which the unspent are good, one unless there is a grace.
final class Family: @unchecked Sendable {
    let number: Int
    let provider: ProviderName
    /// Whose it is.
    let subject: String
    /// The number of the newest token.
    private(set) var newest = 0
    /// The tokens that nobody has spent yet.
    private(set) var good: Set<Int> = [0]
    /// When a token was first spent, and what it brought the last time.
    private(set) var spent: [Int: (at: Duration, successor: Int)] = [:]
    /// When the newest tokens were made.
    private(set) var renewedAt: Duration
    /// When the access tokens were made, by their numbers.
    private(set) var issuedAt: [Int: Duration]
    var exchanges: [Exchange] = []
    var revokedBecause: String?
    /// Whether the last exchange came to nothing that was saved.
    var isInDoubt = false
    /// How often the provider said `invalid_grant`.
    var refusals = 0

    init(_ number: Int, _ provider: ProviderName, _ subject: String, at now: Duration) {
        self.number = number
        self.provider = provider
        self.subject = subject
        renewedAt = now
        issuedAt = [0: now]
    }

    /// A new access token beside a refresh token that stays.
    func renewAccess(of token: Int, at now: Duration) {
        renewedAt = now
        issuedAt[token] = now
    }

    /// New tokens for one that is good, or was spent a moment ago.
    func rotate(_ token: Int, at now: Duration) -> Int {
        newest += 1
        good.remove(token)
        good.insert(newest)
        spent[token] = (spent[token]?.at ?? now, newest)
        renewAccess(of: newest, at: now)
        return newest
    }

    func refreshToken(_ token: Int) -> String { "rt.\(number).\(token)." }

    func accessToken(_ token: Int) -> String { "at.\(number).\(token)." }

    /// Whether there is a token in a text that the provider would take.
    func isUsable(in row: StoredSession?) -> Bool {
        guard let row else { return false }
        return good.contains { row.holds(refreshToken($0)) }
    }
}
