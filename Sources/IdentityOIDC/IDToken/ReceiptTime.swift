internal import FoundationEssentials

/// When a token was received, as far as this machine's clock is to be trusted; its times are checked against this.
///
/// A token that came just now was received now. For one that was stored since, the time that was stored with it counts. Two signs
/// prove that the clock was wrong at the receipt, and only they let the current time count as well: the token had not been issued
/// yet then and has been by now, or the stored time lies in the future.
struct ReceiptTime {
    private let received: Date
    private let latest: Date
    private let leeway: TimeInterval
    private let wasSetBack: Bool

    init(_ expected: IDTokenExpectations) {
        received = expected.receivedAt ?? expected.now
        leeway = expected.leeway
        wasSetBack = received > expected.now + leeway
        latest = wasSetBack ? expected.now : max(received, expected.now)
    }

    /// Whether the token was received before it expired.
    ///
    /// Where the stored time lies in the future, nothing tells the time of the receipt, and the provider's word counts, which
    /// issued the token for this answer.
    func isBefore(_ expiry: Date) -> Bool {
        wasSetBack || received < expiry + leeway
    }

    /// Whether the token was received after a moment, at which it was issued or became valid.
    func isAfter(_ start: Date) -> Bool {
        start <= latest + leeway
    }
}
