extension HTTPHeaders {
    /// The first field of that name as seconds since 1970; nil when it is missing or no date (RFC 9110 section 5.6.7).
    ///
    /// The cookies' tolerant reader knows all three forms that HTTP has.
    package func date(_ name: String) -> Int64? {
        self[name].flatMap { CookieDate.parse(Array($0.utf8)[...]) }
    }
}
