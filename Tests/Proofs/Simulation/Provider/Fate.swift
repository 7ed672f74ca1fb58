/// What becomes of one request.
enum Fate: String, CaseIterable {
    case well
    /// No connection: the request never leaves.
    case unreachable
    /// The connection is lost before the provider sees the request, or after it acted.
    case lostBefore
    case lostAfter
    /// The answer comes when nobody waits any more, or nearly then.
    case late
    case slow
    case error500Before
    case error502After
    case error503
    case tooMany
    case unauthorizedWithoutCode
    case pageBefore
    case pageAfter
    case brokenJSONAfter
    case retryRequest
    case temporarilyUnavailable
    case invalidClient
    /// Signed with a key that is published some minutes later.
    case lateKey
    /// New access token, and the refresh token stays what it is.
    case withoutRefreshToken

    init(_ random: inout SeededGenerator, _ faults: Episode.Faults, isExchange: Bool) {
        guard random.permille(faults.exchange) else {
            self = .well
            return
        }
        self =
            isExchange ? random.one(of: Self.allCases) : random.one(of: [.unreachable, .lostBefore, .error503, .slow])
    }

    /// Whether the provider acts on the request.
    var isActedOn: Bool {
        switch self {
        case .well, .lostAfter, .late, .slow, .error502After, .pageAfter, .brokenJSONAfter, .lateKey: true
        default: false
        }
    }

    /// How long the answer takes, in milliseconds.
    var delay: ClosedRange<Int> {
        switch self {
        case .slow: 1500...3000
        case .late: 3000...9000
        default: 1...500
        }
    }
}
