internal import FoundationEssentials

/// The time at which a token was received, against which its times are checked.
///
/// A token that was received just now is checked against the current time, a stored one against its stored time. The current time is
/// also used for a stored token if the clock was evidently wrong at the receipt: the token was issued after the stored time but before
/// now, or the stored time is in the future.
struct ReceiptTime {
    private let received: Date
    private let latest: Date
    private let tolerance: TimeInterval
    private let isReceiptInFuture: Bool

    init(_ expected: SignedTokenExpectations) {
        received = expected.receivedAt ?? expected.now
        tolerance = expected.clockTolerance
        isReceiptInFuture = received > expected.now + tolerance
        latest = isReceiptInFuture ? expected.now : max(received, expected.now)
    }

    /// Whether the token was received before it expired.
    ///
    /// If the stored time is in the future, the time of the receipt is unknown, and the token counts as valid: the provider had just
    /// issued it for this response.
    func isBefore(_ expiry: Date) -> Bool {
        isReceiptInFuture || received < expiry + tolerance
    }

    /// Whether the token was received after it was issued or became valid.
    func isAfter(_ start: Date) -> Bool {
        start <= latest + tolerance
    }
}
