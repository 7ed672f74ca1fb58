package import FoundationEssentials
package import IdentityHTTP

/// How long a key set may be kept, by the headers of its answer (RFC 9111 section 4.2), within bounds of this client.
///
/// The bounds are there because both ends hurt: `no-store` would cost a fetch for every login, and a year would keep a revoked
/// key for a year.
package enum KeySetLifetime {
    static let shortest = Duration.seconds(300)
    static let longest = Duration.seconds(86_400)
    /// Where the answer does not say.
    static let unsaid = Duration.seconds(3600)

    /// The bounded lifetime; nil when the headers do not say.
    package static func read(_ headers: HTTPHeaders, now: Date) -> Duration? {
        seconds(headers, now).map { min(max(.seconds($0), shortest), longest) }
    }

    private static func seconds(_ headers: HTTPHeaders, _ now: Date) -> Int64? {
        let directives = headers.values(for: "Cache-Control").joined(separator: ",").lowercased()
            .split(separator: ",").map { (directive: Substring) in directive.drop { $0 == " " || $0 == "\t" } }
        let isUncacheable = directives.contains { $0.hasPrefix("no-store") || $0.hasPrefix("no-cache") }
        if isUncacheable { return 0 }
        let age = headers["Age"].flatMap { number($0[...]) } ?? 0
        // Of several, the least; one that cannot be read counts as over (RFC 9111 section 4.2.1).
        let ages = directives.filter { $0.hasPrefix("max-age=") }.map { number($0.dropFirst(8)) ?? 0 }
        if let least = ages.min() { return least - age }
        guard headers["Expires"] != nil else { return nil }
        guard let end = headers.date("Expires") else { return 0 }
        return end - (headers.date("Date") ?? Int64(now.timeIntervalSince1970)) - age
    }

    /// A number of seconds (RFC 9111 section 1.2.2); one too large to count is as good as endless.
    private static func number(_ text: Substring) -> Int64? {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "\"") && $0 != 0x20 && $0 != 0x09 }
        guard !digits.isEmpty, digits.allSatisfy(ASCII.isDigit) else { return nil }
        guard digits.count <= 9 else { return 1 << 31 }
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
}
