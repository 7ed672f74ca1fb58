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
    /// The wait that `Retry-After` requests in seconds; a longer wait than one hour counts as one hour.
    ///
    /// Without this limit, a wrong header could block requests for days. A `Retry-After` with a date is ignored.
    package var retryAfter: Duration? {
        (self["Retry-After"].flatMap { DeltaSeconds.parse($0) }).map { .seconds(Swift.min($0, 3600)) }
    }
}
