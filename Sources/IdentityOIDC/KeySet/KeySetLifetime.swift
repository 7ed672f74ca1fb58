package import FoundationEssentials
package import IdentityHTTP

/// How long a key set is cached: the lifetime in the headers of its response (RFC 9111 section 4.2), within two bounds.
///
/// Without ``shortest``, a response with `no-store` would cause a fetch for every login. Without ``longest``, a client would accept a
/// revoked key for a year if the headers state a lifetime of one year.
package enum KeySetLifetime {
    static let shortest = Duration.seconds(300)
    static let longest = Duration.seconds(86_400)
    /// The lifetime of a new key set whose response has no `max-age` and no `Expires`, and permits caching.
    static let `default` = Duration.seconds(3600)

    /// The lifetime that the headers state, limited to the two bounds; nil if they state no lifetime.
    package static func read(_ headers: HTTPHeaders, now: Date) -> Duration? {
        seconds(headers, now).map { min(max(.seconds($0), shortest), longest) }
    }

    private static func seconds(_ headers: HTTPHeaders, _ now: Date) -> Int64? {
        let directives = headers.values(for: "Cache-Control").joined(separator: ",").lowercased()
            .split(separator: ",").map { (directive: Substring) in directive.drop { $0 == " " || $0 == "\t" } }
        let isUncacheable = directives.contains { $0.hasPrefix("no-store") || $0.hasPrefix("no-cache") }
        if isUncacheable { return 0 }
        let age = headers["Age"].flatMap { number($0[...]) } ?? 0
        // The smallest of several `max-age` values counts. An invalid value counts as 0 (RFC 9111 section 4.2.1).
        let ages = directives.filter { $0.hasPrefix("max-age=") }.map { number($0.dropFirst(8)) ?? 0 }
        if let least = ages.min() { return least - age }
        guard headers["Expires"] != nil else { return nil }
        guard let end = headers.date("Expires") else { return 0 }
        return end - (headers.date("Date") ?? Int64(now.timeIntervalSince1970)) - age
    }

    /// A number of seconds (RFC 9111 section 1.2.2); a larger number than 2^31 counts as 2^31.
    private static func number(_ text: Substring) -> Int64? {
        DeltaSeconds.parse(text.filter { !"\" \t".contains($0) }).map { min(Int64($0), 1 << 31) }
    }
}
