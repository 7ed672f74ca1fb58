internal import IdentityKit

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

    init(_ process: VirtualProcess, _ text: String, at now: Duration) {
        self.process = process
        self.text = text
        sentAt = now
    }

    /// Whether what it got, or will get, may never reach the store: others may then ask again.
    func isExcused(since moment: Duration) -> Bool {
        process.isDead || state == .failed || process.wasStopped(since: moment) || process.storeFailed(since: moment)
    }
}

/// What descends from one login at a provider: refresh tokens of which the unspent are good, one unless there is a grace.
final class Family: @unchecked Sendable {
    let number: Int
    let provider: ProviderName
    /// The number of the newest token.
    private(set) var newest = 0
    /// The tokens that nobody has spent yet.
    private(set) var good: Set<Int> = [0]
    /// Tokens that came in answers that are not to be trusted: good at the provider, and of no use.
    var untrusted: Set<Int> = []
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

    init(_ number: Int, _ provider: ProviderName, at now: Duration) {
        self.number = number
        self.provider = provider
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
        return good.contains { !untrusted.contains($0) && row.holds(refreshToken($0)) }
    }
}
