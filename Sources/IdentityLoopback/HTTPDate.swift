internal import IdentityPlatform

/// The dates of HTTP headers (RFC 9110 section 5.6.7).
package enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// The current time of the system.
    static var now: String { text(secondsSince1970: Int(time(nil))) }

    /// A time such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    package static func text(secondsSince1970 seconds: Int) -> String {
        let (day, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let date = calendarDate(max(0, day))
        func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        let clock = [second / 3600, second / 60 % 60, second % 60].map { two(max(0, $0)) }.joined(separator: ":")
        return "\(days[max(0, day) % 7]), \(two(date.day)) \(months[date.month - 1]) \(date.year) \(clock) GMT"
    }

    /// The date of a day after 1970-01-01; years begin in March here, so that a leap day comes last.
    private static func calendarDate(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}
