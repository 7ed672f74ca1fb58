/// A number of seconds in HTTP's form: digits only (RFC 9111 section 1.2.2).
package enum DeltaSeconds {
    /// The seconds; `Int.max` for a larger number, nil for a text that is empty or contains anything but digits.
    package static func parse(_ text: some StringProtocol) -> Int? {
        let digits = text.utf8
        guard !digits.isEmpty, digits.allSatisfy(ASCII.isDigit) else { return nil }
        return Int(text) ?? .max
    }
}

extension HTTPHeaders {
    /// The wait that `Retry-After` requests, at most one hour; nil if the header is missing or is not a number of seconds, such as a date.
    ///
    /// Without the limit of one hour, a wrong header could block requests for days.
    package var retryAfter: Duration? {
        (self["Retry-After"].flatMap { DeltaSeconds.parse($0) }).map { .seconds(Swift.min($0, 3600)) }
    }
}
