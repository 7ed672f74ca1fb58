internal import TestDoubles

/// The outcome that the simulation chooses for a request before it is sent.
enum PlannedOutcome: String, CaseIterable {
    case success
    /// No connection: the request is not sent.
    case unreachable
    /// The connection is lost before the provider sees the request, or after it acted.
    case lostBefore
    case lostAfter
    /// The response arrives around or after the time limit of the client.
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
    /// The ID token is signed with a key that is published some minutes later.
    case lateKey
    /// A new access token and the old refresh token.
    case withoutRefreshToken

    init(_ random: inout SeededGenerator, _ faults: Episode.Faults, isExchange: Bool) {
        guard random.permille(faults.exchange) else {
            self = .success
            return
        }
        self =
            isExchange ? random.one(of: Self.allCases) : random.one(of: [.unreachable, .lostBefore, .error503, .slow])
    }

    var isProcessed: Bool {
        switch self {
        case .success, .lostAfter, .late, .slow, .error502After, .pageAfter, .brokenJSONAfter, .lateKey: true
        default: false
        }
    }

    /// The time until the response, in milliseconds.
    var delay: ClosedRange<Int> {
        switch self {
        case .slow: 1500...3000
        case .late: 3000...9000
        default: 1...500
        }
    }
}
