extension HTTPHeaders {
    /// The first field with this name as seconds since 1970; nil if it is missing or not a date (RFC 9110 section 5.6.7).
    ///
    /// The tolerant parser for cookies accepts all three date formats of HTTP.
    package func date(_ name: String) -> Int64? {
        self[name].flatMap { CookieDate.parse(Array($0.utf8)[...]) }
    }
}
