/// Limits for repetitions of an operation: the number of attempts, the pauses between them, and the total time.
///
/// If the response says that Shopify did not execute the operation (`THROTTLED`, HTTP 429), the client may repeat the operation. If the
/// outcome is unknown (5xx, a timeout, a lost connection), the document decides: ``GraphQLDocument/Repetition``. After a rejection of
/// token, scope, shop or document (401, 402, 403, 404, 423, errors of the document), the client never repeats the operation.
///
/// HTTP 430 means that Shopify rejects the request as an attack. If the limits allow it, the client sends the operation once more after
/// a pause. If they do not allow it, or if Shopify returns 430 again, no client in this process sends requests to this shop and origin
/// for a while (``securityPause``). After that, a single operation, the probe, tests whether Shopify accepts requests again.
public struct RetryLimits: Sendable, Equatable {
    /// The maximum number of attempts, including the first; at least 1.
    public var attempts: Int
    /// The longest pause after the first failure.
    ///
    /// This limit doubles with each further failure, up to ``maximumPause``. Each pause is a random part of the limit.
    public var firstPause: Duration
    /// The longest pause that the client chooses itself, except after HTTP 430.
    public var maximumPause: Duration
    /// The longest `Retry-After` that the client waits for.
    ///
    /// If Shopify requests a longer wait, the caller gets the error at once, with the wait in its `retryAfter`.
    public var maximumRetryAfter: Duration
    /// The maximum time for all attempts and pauses; no attempt starts or continues after this time.
    public var deadline: Duration
    /// The longest first pause after Shopify rejected requests of this process as an attack.
    ///
    /// Each pause is a random time between half of the limit and the whole limit. The limit doubles for each further pause, up to ten times
    /// this value. If Shopify requests a longer pause with `Retry-After`, the client waits for that time, up to an hour.
    public var securityPause: Duration

    /// Creates limits; each parameter sets the property of the same name.
    public init(
        attempts: Int = 3,
        firstPause: Duration = .milliseconds(500),
        maximumPause: Duration = .seconds(8),
        maximumRetryAfter: Duration = .seconds(10),
        deadline: Duration = .seconds(30),
        securityPause: Duration = .seconds(30)
    ) {
        self.attempts = attempts
        self.firstPause = firstPause
        self.maximumPause = maximumPause
        self.maximumRetryAfter = maximumRetryAfter
        self.deadline = deadline
        self.securityPause = securityPause
    }

    var bounded: RetryLimits {
        func time(_ duration: Duration) -> Duration { min(max(duration, .zero), .seconds(86_400)) }
        return RetryLimits(
            attempts: max(1, attempts),
            firstPause: time(firstPause),
            maximumPause: time(maximumPause),
            maximumRetryAfter: time(maximumRetryAfter),
            deadline: max(time(deadline), .milliseconds(1)),
            securityPause: max(time(securityPause), .milliseconds(1))
        )
    }

    /// Three attempts within 30 seconds.
    public static let standard = RetryLimits()
    /// One attempt: the client never repeats an operation.
    public static let none = RetryLimits(attempts: 1)
}
