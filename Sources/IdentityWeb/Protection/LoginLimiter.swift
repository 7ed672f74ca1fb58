internal import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// Limits how many logins a client address may begin, because each login occupies a record of the store until it ends or expires.
final class LoginLimiter: Sendable {
    private let limit: SignInRoutes.LoginLimit
    private let clock: any IdentityClock
    private let buckets: Mutex<BoundedTable<String, TokenBucket>>

    init(_ limit: SignInRoutes.LoginLimit, clock: any IdentityClock) {
        // With larger values, the times that the buckets compute could overflow.
        var limit = limit
        limit.burst = min(limit.burst, 1_000_000)
        limit.interval = min(limit.interval, .seconds(86_400))
        self.limit = limit
        self.clock = clock
        buckets = Mutex(BoundedTable(maximum: limit.maximumAddresses))
    }

    /// Counts one login of an address; if the login may not begin, returns how long the client should wait.
    func takeAttempt(of address: String?) -> Duration? {
        // All clients without an address would share one bucket, and one client could lock out the others.
        guard let address else { return nil }
        let now = clock.elapsed
        return buckets.withLock { buckets in
            let own = Self.keys(address).map { key, share in
                (key, buckets[key] ?? TokenBucket(size: limit.burst * share, interval: limit.interval / share))
            }
            if let pause = own.compactMap({ $0.1.pause(at: now) }).max() {
                return .seconds(max(1, pause.timeInterval.rounded(.up)))
            }
            for (key, var bucket) in own {
                bucket.take(at: now)
                // If the table has no room, full buckets are removed first. For their addresses this changes nothing, because a new bucket
                // is full too.
                buckets.insert(bucket, for: key) { $0.isFull(at: now) }
            }
            return nil
        }
    }

    /// The keys of an address's buckets; a bucket permits `share` times the limit.
    ///
    /// An IPv6 address has a bucket for its /64 prefix, because one customer usually has a whole /64. Its /48 prefix has a bucket, too,
    /// because an attacker can get a /48 with 65,536 /64 prefixes. The bucket of a /48 permits 64 times the limit, because a mobile network
    /// has many customers in one /48.
    private static func keys(_ address: String) -> [(key: String, share: Int)] {
        guard let bytes = NumericAddress.parse(address), bytes.count == 16 else { return [(address, 1)] }
        // IPv6 addresses with these prefixes contain an IPv4 address. The first prefix is for IPv4-mapped addresses (RFC 4291 section
        // 2.5.5.2), which a server with one socket for IPv4 and IPv6 reports for IPv4 clients. The second prefix is for NAT64 (RFC 6052
        // section 2.1).
        let prefixes: [[UInt8]] = [
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0],
        ]
        if prefixes.contains(where: { bytes.starts(with: $0) }) {
            return [(bytes.suffix(4).map { String($0) }.joined(separator: "."), 1)]
        }
        return [(8, 1), (6, 64)].map { length, share in
            (bytes.prefix(length).map { String($0, radix: 16) }.joined(separator: ":"), share)
        }
    }
}
