/// How often an operation is sent, how long is waited between, and when it is given up.
///
/// What may be repeated at all is not decided here: that is the document's ``GraphQLDocument/Repetition``. An answer that says that
/// the operation was not carried out (`THROTTLED`, HTTP 429) may be followed by another attempt whatever the operation
/// does; when nobody knows (5xx, a time-out, a lost connection), the document decides. Refusals of token, scope, shop or
/// document (401, 402, 403, 404, 423, errors of the document) are never repeated.
///
/// HTTP 430, by which Shopify says that it takes the caller for an attacker, is followed by one delayed attempt at most; if
/// that fails too, no client in this process asks this shop anything for a while (``securityPause``), and then a single operation tries.
public struct RetryPolicy: Sendable, Equatable {
    /// How often an operation is sent at most, the first time included; at least 1.
    public var attempts: Int
    /// The longest pause after the first failure; it doubles with each one, and each pause is a random part of it.
    public var firstPause: Duration
    /// The longest pause that the client makes by its own decision.
    public var maximumPause: Duration
    /// The longest `Retry-After` that is waited for; who asks for more gets the error at once, with the time in it.
    public var maximumRetryAfter: Duration
    /// How long all attempts and pauses may take together; no attempt begins after that, and none goes on beyond it.
    public var deadline: Duration
    /// How long a shop is left alone at first after it has taken the client for an attacker; twice as long each time, up to ten
    /// times as long.
    public var securityPause: Duration

    /// Describes a policy.
    ///
    /// - Parameters:
    ///   - attempts: How often an operation is sent; 3 unless given.
    ///   - firstPause: The longest first pause; half a second unless given.
    ///   - maximumPause: The longest pause; 8 seconds unless given.
    ///   - maximumRetryAfter: The longest `Retry-After` that is waited for; 10 seconds unless given.
    ///   - deadline: The time for everything; 30 seconds unless given.
    ///   - securityPause: How long a shop is left alone after HTTP 430; 30 seconds unless given.
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

    /// The same policy within what makes sense: an attempt at least, no time below nothing, and none above a day.
    var bounded: RetryPolicy {
        func time(_ duration: Duration) -> Duration { min(max(duration, .zero), .seconds(86_400)) }
        return RetryPolicy(
            attempts: max(1, attempts),
            firstPause: time(firstPause),
            maximumPause: time(maximumPause),
            maximumRetryAfter: time(maximumRetryAfter),
            deadline: max(time(deadline), .milliseconds(1)),
            securityPause: max(time(securityPause), .milliseconds(1))
        )
    }

    /// Three attempts within 30 seconds.
    public static let standard = RetryPolicy()
    /// One attempt: the caller repeats.
    public static let none = RetryPolicy(attempts: 1)
}
