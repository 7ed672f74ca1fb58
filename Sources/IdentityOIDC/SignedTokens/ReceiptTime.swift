internal import FoundationEssentials

/// The time at which a token was received, against which its times are checked.
///
/// A token that was received just now is checked against the current time. A stored token is checked against the stored time of its
/// receipt. This machine's clock may have been wrong at that time. So a stored token may also have been issued after its receipt but
/// before now. If the stored time is in the future, the expiry of the token is not checked.
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

    /// Whether a token that was issued or became valid at `start` is not from the future.
    func isAfter(_ start: Date) -> Bool {
        start <= latest + tolerance
    }
}
