internal import IdentityHTTP
internal import IdentityPlatform

/// The dates of HTTP headers (RFC 9110 section 5.6.7).
package enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

    static var now: String { text(secondsSince1970: Int(time(nil))) }

    /// The HTTP date of a time, such as `Sun, 06 Nov 1994 08:49:37 GMT`; for a time before 1970, the date of the beginning of 1970.
    package static func text(secondsSince1970 seconds: Int) -> String {
        var moment = time_t(max(0, seconds))
        var date = unsafe tm()
        unsafe gmtime_r(&moment, &date)
        func two(_ number: Int32) -> String { (number < 10 ? "0" : "") + String(number) }
        let clock = unsafe [date.tm_hour, date.tm_min, date.tm_sec].map(two).joined(separator: ":")
        let month = unsafe GregorianCalendar.months[Int(date.tm_mon)]
        return unsafe "\(days[Int(date.tm_wday)]), \(two(date.tm_mday)) \(month) \(date.tm_year + 1900) \(clock) GMT"
    }
}
