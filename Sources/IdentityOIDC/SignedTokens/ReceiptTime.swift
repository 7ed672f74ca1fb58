internal import FoundationEssentials
internal import IdentityKit

/// The time at which a token was received; the times in the token are checked against this time.
///
/// A token that was received just now is checked against the current time. The token of a stored response is checked against the stored
/// time of its receipt. This machine's clock may have been slow or fast at that time. So the token may also name a time of issue between
/// the stored time and now. If the stored time is in the future, the expiry of the token is not checked.
struct ReceiptTime {
    private let received: Date
    private let latest: Date
    private let isReceiptInFuture: Bool

    init(_ expected: SignedTokenExpectations) {
        received = expected.receivedAt ?? expected.now
        isReceiptInFuture = received > expected.now + ClockTolerance.seconds
        latest = isReceiptInFuture ? expected.now : max(received, expected.now)
    }

    /// Whether the token was received before it expired.
    ///
    /// If the stored time is in the future, the result is true: the true time of the receipt is unknown, and providers issue a token
    /// immediately before they send it.
    func isBefore(_ expiry: Date) -> Bool {
        isReceiptInFuture || received < expiry + ClockTolerance.seconds
    }

    /// Whether `start`, the time at which a token was issued or became valid, has passed.
    func isAfter(_ start: Date) -> Bool {
        start <= latest + ClockTolerance.seconds
    }
}
