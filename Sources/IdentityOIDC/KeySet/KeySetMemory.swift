internal import IdentityHTTP
internal import IdentityKit

/// The state of a ``KeySetSource``, which synchronizes access and passes the current time.
struct KeySetMemory {
    /// The longest time for which keys are used after the provider last confirmed them.
    ///
    /// Without this limit, an attacker with a stolen signing key could block the fetches. Clients would then accept the stolen key
    /// forever, although the provider has revoked it.
    static let maximumAge = Duration.seconds(2 * 86_400)
    /// How long expired keys are used after a failed fetch, before a caller waits for another fetch.
    static let pause = Duration.seconds(60)

    /// The last failure and the rate limit of fetches after failures: a burst of two, then one every ten seconds.
    private struct Failures {
        var url: HTTPURL?
        var bucket = TokenBucket(size: 2, interval: .seconds(10))
        var last: IdentityError?
    }

    /// The newest keys that could be fetched and read; they stay here after they have expired.
    private(set) var last: KeySetSnapshot?
    private var failures = Failures()
    /// The rate limits, one for each origin of tokens, so that forged logout tokens do not count in the limit for logins.
    var refetches: [TokenOrigin: KeySetRefetchLimiter] = [:]

    /// Counts a fetch in the rate limit that applies after failures; throws the last failure if no fetch is permitted now.
    ///
    /// ``KeySetRefetchLimiter`` does not count failed fetches. So without this limit, a flood of invalid tokens would cause a fetch for
    /// each token while a provider is down.
    mutating func startFetch(of url: HTTPURL, at now: Duration) throws {
        if failures.url != url { failures = Failures(url: url) }
        // `recast` copies the error, which has the correlation id of the failed fetch. The copy has the id of this operation.
        if !failures.bucket.take(at: now), let failure = failures.last { throw failure.recast() }
    }

    /// Saves and returns fetched keys; if keys of the same URL from a later request are stored, returns these keys instead.
    mutating func save(_ latest: KeySetSnapshot) -> KeySetSnapshot {
        failures = Failures(url: latest.url)
        if let last, last.url == latest.url, last.fetch > latest.fetch { return last }
        last = latest
        return latest
    }

    /// Records a failed fetch; expired keys can then be used for a while, up to their maximum age (like `stale-if-error` of RFC 5861).
    mutating func fail(_ url: HTTPURL, with failure: any Error, at now: Duration) {
        failures.last = IdentityError.wrapping(failure)
        guard let last, last.url == url, now >= last.freshUntil else { return }
        self.last?.freshUntil = min(now + Self.pause, last.confirmedAt + Self.maximumAge)
    }
}

/// Who sent a token: the provider, because this client requested the token, or anybody.
enum TokenOrigin: Hashable {
    case requested
    /// The client did not request the token; an example is a logout token.
    case unsolicited
}
