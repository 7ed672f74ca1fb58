#if PostgreSQL
internal import IdentityPlatform

/// How many connections to the servers are being opened, and when the next attempt may start.
struct ReconnectState {
    private(set) var connecting = 0
    private var failures = 0
    private var retryAt = ContinuousClock.now
    /// Why connecting fails, if only an operator can repair the cause; nil otherwise.
    var permanentFailure: PostgresFailure? { lastFailure.flatMap { $0.isConfiguration ? $0 : nil } }
    private var lastFailure: PostgresFailure?
    /// When an attempt to connect last reached only servers that accept no writes.
    private var readOnlySince: ContinuousClock.Instant?

    private static let shortestPause = Duration.milliseconds(20)
    private static let longestPause = Duration.seconds(2)
    /// How long after ``readOnlySince`` the pool assumes that no server accepts writes.
    private static let trustInReadOnly = Duration.milliseconds(250)

    /// When the pause after a failure ends; nil if there is no pause now.
    var pausedUntil: ContinuousClock.Instant? { retryAt > .now ? retryAt : nil }

    /// Whether another attempt may start; after a failure, only one attempt runs at a time.
    var mayConnect: Bool { pausedUntil == nil && (failures == 0 || connecting == 0) }

    var isKnownReadOnly: Bool { readOnlySince.map { .now - $0 < Self.trustInReadOnly } ?? false }

    /// The failure for a call whose deadline passes while it waits for a connection.
    func failure(whileConnected isConnected: Bool) -> PostgresFailure {
        isConnected ? PostgresFailure(.poolExhausted) : lastFailure ?? PostgresFailure(.timedOut)
    }

    mutating func began() { connecting += 1 }

    mutating func succeeded(isReadOnly: Bool) {
        connecting -= 1
        failures = 0
        retryAt = .now
        lastFailure = nil
        readOnlySince = isReadOnly ? .now : nil
    }

    mutating func failed(_ failure: PostgresFailure) {
        connecting -= 1
        failures = min(failures + 1, 16)
        lastFailure = failure
        if failure.isReadOnly { readOnlySince = .now }
        // A random pause, so that many machines do not try again at the same moment.
        let ceiling = min(Self.longestPause, Self.shortestPause * (1 << min(failures, 7)))
        retryAt = .now + Jitter.duration(from: Self.shortestPause / 2, to: ceiling)
    }
}
#endif
