internal import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// Limits how many login attempts one client address may begin: a token bucket for each address.
///
/// The limit protects the store, where each attempt occupies a record until it expires.
final class LoginLimiter: Sendable {
    enum Attempt: Equatable {
        case allowed
        /// The client should wait this long.
        case refused(retryAfter: Duration)
    }

    private struct Bucket {
        var tokens: Double
        var filledAt: Duration
    }

    private let limit: SignInRoutes.LoginLimit
    private let clock: any IdentityClock
    private let buckets = Mutex<[String: Bucket]>([:])

    init(_ limit: SignInRoutes.LoginLimit, clock: any IdentityClock) {
        self.limit = limit
        self.clock = clock
    }

    /// Takes one attempt out of the bucket of an address.
    func takeAttempt(of address: String?) -> Attempt {
        // Without an address, all clients would share one bucket, and one client could lock out the others.
        guard let address else { return .allowed }
        let now = clock.elapsed
        let interval = limit.interval.timeInterval
        return buckets.withLock { buckets in
            if buckets.count >= limit.maximumAddresses { removeFull(&buckets, now) }
            var bucket = buckets[Self.key(address)] ?? Bucket(tokens: Double(limit.burst), filledAt: now)
            bucket.tokens = tokens(in: bucket, now)
            bucket.filledAt = now
            defer { buckets[Self.key(address)] = bucket }
            guard bucket.tokens >= 1 else {
                return .refused(retryAfter: .seconds(max(1, ((1 - bucket.tokens) * interval).rounded(.up))))
            }
            bucket.tokens -= 1
            return .allowed
        }
    }

    private func tokens(in bucket: Bucket, _ now: Duration) -> Double {
        min(Double(limit.burst), bucket.tokens + (now - bucket.filledAt).timeInterval / limit.interval.timeInterval)
    }

    /// Removes full buckets, because they limit no address.
    ///
    /// If the number of the others still reaches the maximum, it removes all buckets, because memory must stay bounded.
    private func removeFull(_ buckets: inout [String: Bucket], _ now: Duration) {
        buckets = buckets.filter { tokens(in: $0.value, now) < Double(limit.burst) }
        if buckets.count >= limit.maximumAddresses { buckets = [:] }
    }

    /// The rate-limit key: the IPv4 address, or the /64 prefix of an IPv6 address, because one customer usually has a whole /64.
    ///
    /// An IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2) counts as its IPv4 address, because a server that listens for both
    /// versions on one socket reports IPv4 clients in this form. So does an address that NAT64 has translated (RFC 6052 section 2.1).
    static func key(_ address: String) -> String {
        guard let bytes = NumericAddress.parse(address), bytes.count == 16 else { return address }
        let prefixes: [[UInt8]] = [
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0],
        ]
        if prefixes.contains(where: { bytes.starts(with: $0) }) {
            return bytes.suffix(4).map { String($0) }.joined(separator: ".")
        }
        return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
    }
}
