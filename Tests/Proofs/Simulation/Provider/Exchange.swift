internal import IdentityKit

/// A permitted reason to send a refresh token a second time; a second send for another reason is a bug.
enum ResendReason: String, CaseIterable {
    /// No usable response arrived.
    case answerLost = "response lost"
    /// The process that sent the token crashed before the response was saved.
    case crash = "process crashed"
    /// The process that sent the token crashed, and the tokens are in the spool of a machine that is down.
    case machineDown = "machine is down"
    /// The process that sent the token was stopped for longer than others wait.
    case stopped = "process was stopped"
    /// The process that sent the token runs, but neither the store nor the spool saved the tokens.
    case savedNowhere = "tokens saved nowhere"
}

/// A request with a refresh token, and its result.
final class Exchange: @unchecked Sendable {
    enum State {
        /// The client waits.
        case inFlight
        /// The client has usable tokens.
        case delivered
        /// The client has no usable response: an error, an HTML page or no response.
        case failed
    }

    let process: VirtualProcess
    let text: String
    let sentAt: Duration
    var state = State.inFlight
    /// The number of the tokens that the provider issued.
    var rotatedTo: Int?
    /// Whether the store confirmed that the response or its tokens are saved.
    var isSaved = false
    /// Whether the exchange's process has spooled the tokens.
    var isSpooled = false

    init(_ process: VirtualProcess, _ text: String, at now: Duration) {
        self.process = process
        self.text = text
        sentAt = now
    }

    /// Why the token may be sent again, because no other process can have the response; nil if the token must not be sent again.
    func resendReason(_ locking: Episode.Locking, now: Duration) -> ResendReason? {
        if state == .failed { return .answerLost }
        guard !isSaved else { return nil }
        if process.hasCrashed { return isSpooled ? .machineDown : .crash }
        // A stopped process keeps its kernel lock.
        if locking != .kernel, process.wasStopped(for: Self.claimTimeout, since: sentAt, now: now) { return .stopped }
        return process.refusals(since: sentAt) >= 2 && !isSpooled ? .savedNowhere : nil
    }

    /// How long a process waits before it continues a claim of another process: the provider's timeout, the time for saving and one
    /// repair interval.
    ///
    /// A holder that is stopped for longer is treated as crashed.
    private static let claimTimeout = Providers.timeout + .seconds(5) + VirtualProcess.repairInterval
}

/// The refresh tokens that descend from one login; the unused ones are valid: one token, or several with a grace period.
final class Family: @unchecked Sendable {
    let number: Int
    let provider: ProviderName
    let subject: String
    /// The number of the newest token.
    private(set) var newest = 0
    /// The unused tokens.
    private(set) var valid: Set<Int> = [0]
    /// When a token was first used, and the tokens that its last use returned.
    private(set) var used: [Int: (at: Duration, successor: Int)] = [:]
    /// When the newest tokens were issued.
    private(set) var refreshedAt: Duration
    /// When the access tokens were issued, by their numbers.
    private(set) var issuedAt: [Int: Duration]
    var exchanges: [Exchange] = []
    var revokedBecause: String?
    /// Whether the last exchange saved no tokens.
    var isInDoubt = false
    /// How often the provider returned `invalid_grant`.
    var refusals = 0

    init(_ number: Int, _ provider: ProviderName, _ subject: String, at now: Duration) {
        self.number = number
        self.provider = provider
        self.subject = subject
        refreshedAt = now
        issuedAt = [0: now]
    }

    /// Issues a new access token and keeps the refresh token.
    func refreshAccess(of token: Int, at now: Duration) {
        refreshedAt = now
        issuedAt[token] = now
    }

    /// Issues new tokens for a valid token, or for one that was used a moment ago.
    func rotate(_ token: Int, at now: Duration) -> Int {
        newest += 1
        valid.remove(token)
        valid.insert(newest)
        used[token] = (used[token]?.at ?? now, newest)
        refreshAccess(of: newest, at: now)
        return newest
    }

    func refreshToken(_ token: Int) -> String { "rt.\(number).\(token)." }

    func accessToken(_ token: Int) -> String { "at.\(number).\(token)." }

    /// Whether a row contains a refresh token that the provider would accept.
    func isUsable(in row: StoredSession?) -> Bool {
        guard let row else { return false }
        return valid.contains { row.holds(refreshToken($0)) }
    }
}
