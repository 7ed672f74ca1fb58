internal import FoundationEssentials
internal import IdentityKit

extension SignedTokenChecks {
    /// Checks `exp` and `iat`, which must be present, and `nbf` if it is present.
    func times(_ claims: JSONObject) throws(IdentityError) -> (issuedAt: Date, expiry: Date) {
        guard let expiry = try time("exp", claims), let issuedAt = try time("iat", claims) else {
            throw errors.error(.idTokenTime, "has no exp or no iat", "section 2")
        }
        try check(expiry, issuedAt, claims)
        guard issuedAt <= expiry else {
            throw errors.error(.idTokenTime, "expires before it was issued", "section 3.1.3.7 item 10")
        }
        return (issuedAt, expiry)
    }

    func optionalTimes(_ claims: JSONObject) throws(IdentityError) {
        try check(try time("exp", claims), try time("iat", claims), claims)
    }

    private func check(_ expiry: Date?, _ issuedAt: Date?, _ claims: JSONObject) throws(IdentityError) {
        let receipt = ReceiptTime(expected)
        let clock = expected.receivedAt ?? expected.now
        func clockError(_ problem: String, _ statement: String, _ time: Date, _ section: String) -> IdentityError {
            errors.error(problem, statement, time, now: clock, section, isStored: expected.receivedAt != nil)
        }
        if let expiry, !receipt.isBefore(expiry) {
            throw clockError("has expired", "expires at", expiry, "section 3.1.3.7 item 9")
        }
        if let issuedAt, !receipt.isAfter(issuedAt) {
            let seconds = Int(issuedAt.timeIntervalSince(expected.now).rounded(.up))
            throw clockError(
                "was issued \(seconds) seconds in the future",
                "was issued at",
                issuedAt,
                "section 3.1.3.7 item 10"
            )
        }
        if let notBefore = try time("nbf", claims), !receipt.isAfter(notBefore) {
            throw clockError("is not valid yet", "is valid from", notBefore, "RFC 7519 section 4.1.5")
        }
    }

    /// A NumericDate (RFC 7519 section 2) between the years 1970 and 9999; nil if the token does not have the claim.
    func time(_ name: String, _ claims: JSONObject) throws(IdentityError) -> Date? {
        guard let value = claims[name] else { return nil }
        guard let seconds = value.number?.double, (0...253_402_300_799).contains(seconds) else {
            throw errors.error(.idTokenTime, "has an \(name) that is not a valid time", "RFC 7519 section 2")
        }
        return Date(timeIntervalSince1970: seconds)
    }

    /// A time that must not be in the future, because a future `auth_time` would satisfy every `max_age`; nil if the claim is missing.
    func pastTime(_ name: String, _ claims: JSONObject) throws(IdentityError) -> Date? {
        let time = try time(name, claims)
        if let time, !ReceiptTime(expected).isAfter(time) {
            throw errors.error(.idTokenTime, "has an \(name) in the future", "section 2")
        }
        return time
    }
}

/// The time at which a token was received; the times in the token are checked against this time.
///
/// A token that was received just now is checked against the current time, and the token of a stored response against the stored time.
/// This machine's clock may have been slow at that time. So the token may name a time of issue between the stored time and now.
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
