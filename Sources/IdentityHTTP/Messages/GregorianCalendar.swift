/// The Gregorian calendar, also for dates before its introduction; months and days are counted from 1.
package enum GregorianCalendar {
    /// The names of the months in HTTP dates (RFC 9110 section 5.6.7).
    package static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The days since 1 January 1970; the year must be at least 0.
    ///
    /// The calculation counts years from March, so that the leap day is the last day of a year.
    package static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        // Starts 400 years earlier, because an era has 400 years, and the division of a negative number would round up.
        let (years, months) = month > 2 ? (year + 400, month - 3) : (year + 399, month + 9)
        return years * 365 + years / 4 - years / 100 + years / 400 + (153 * months + 2) / 5 + day - 1 - 865_565
    }

    package static func daysIn(_ month: Int, of year: Int) -> Int {
        let (nextYear, nextMonth) = month == 12 ? (year + 1, 1) : (year, month + 1)
        return daysSince1970(nextYear, nextMonth, 1) - daysSince1970(year, month, 1)
    }
}
