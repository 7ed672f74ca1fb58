internal import IdentityHTTP

/// Reads dates with times and offsets (RFC 3339 section 5.6) without a formatter.
enum RFC3339 {
    static func parse(_ text: String) -> (seconds: Int, nanoseconds: Int)? {
        var reader = Reader(bytes: Array(text.utf8))
        guard text.utf8.count <= 64,
            let year = reader.number(4), reader.accept("-"),
            let month = reader.number(2), reader.accept("-"), (1...12).contains(month),
            let day = reader.number(2), (1...GregorianCalendar.daysIn(month, of: year)).contains(day),
            reader.accept("T") || reader.accept("t"),
            let hour = reader.number(2), reader.accept(":"), hour < 24,
            let minute = reader.number(2), reader.accept(":"), minute < 60,
            let second = reader.number(2), second <= 60,
            let nanoseconds = reader.fraction(),
            let offset = reader.offset(),
            reader.isAtEnd
        else { return nil }
        let days = GregorianCalendar.daysSince1970(year, month, day)
        return (days * 86_400 + hour * 3_600 + minute * 60 + second - offset, nanoseconds)
    }

    /// Formats a time in UTC; a fraction of zero is left out.
    static func text(milliseconds: Int) -> String {
        func digits(_ number: Int, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        let (seconds, fraction) = divide(milliseconds, by: 1_000)
        let (days, second) = divide(seconds, by: 86_400)
        let (year, month, day) = civil(days)
        return "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))T\(digits(second / 3_600, 2)):"
            + "\(digits(second / 60 % 60, 2)):\(digits(second % 60, 2))"
            + (fraction == 0 ? "" : ".\(digits(fraction, 3))") + "Z"
    }

    private static func divide(_ number: Int, by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = divide(days + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let months = (5 * dayOfYear + 2) / 153
        let month = months < 10 ? months + 3 : months - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * months + 2) / 5 + 1)
    }

    private struct Reader {
        let bytes: [UInt8]
        var index = 0

        var isAtEnd: Bool { index == bytes.count }

        mutating func accept(_ character: Unicode.Scalar) -> Bool {
            guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
            index += 1
            return true
        }

        private mutating func digit() -> Int? {
            guard index < bytes.count, bytes[index] &- UInt8(ascii: "0") < 10 else { return nil }
            index += 1
            return Int(bytes[index - 1] - UInt8(ascii: "0"))
        }

        mutating func number(_ digits: Int) -> Int? {
            var value = 0
            for _ in 0..<digits {
                guard let digit = digit() else { return nil }
                value = value * 10 + digit
            }
            return value
        }

        mutating func fraction() -> Int? {
            guard accept(".") else { return 0 }
            guard let first = digit() else { return nil }
            var unit = 100_000_000
            var value = first * unit
            while let digit = digit() {
                unit /= 10
                value += digit * unit
            }
            return value
        }

        /// Reads the offset, in seconds east of UTC.
        mutating func offset() -> Int? {
            if accept("Z") || accept("z") { return 0 }
            let isWest = accept("-")
            guard isWest || accept("+"), let hours = number(2), hours < 24, accept(":"), let minutes = number(2),
                minutes < 60
            else { return nil }
            return (isWest ? -1 : 1) * (hours * 3_600 + minutes * 60)
        }
    }
}
