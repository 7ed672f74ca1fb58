public import FoundationEssentials

/// A provider whose answer to a renewal can be kept before it is judged.
///
/// A provider that rotates its refresh tokens has spent the old one once it answers, and the new one is in the answer alone. So the
/// answer is saved as it came, before anything is made of it that could fail or die: ``SessionManager`` calls the three steps one
/// after the other. ``IdentityProvider/refresh(_:)`` does all of them at once, for callers without a store.
public protocol JournaledRefreshing: IdentityProvider {
    /// Does what can be done before the token is sent, such as fetching metadata and keys.
    ///
    /// - Throws: ``IdentityError``; the token is unspent then.
    func prepareRefresh(of tokens: TokenSet) async throws

    /// Sends the refresh token.
    ///
    /// - Parameters:
    ///   - tokens: The session's tokens.
    ///   - hold: The session's lock. No request takes longer than its ``SessionHold/remaining`` time, and it is asked again as late
    ///     as possible before a request leaves, also before a repeated one: another process may have the lock by then. Pass
    ///     ``SessionHold/kernel`` where there is no lock.
    /// - Returns: What came back with a status of success, whatever it is.
    /// - Throws: A refusal for any other answer and for none.
    func requestRefresh(of tokens: TokenSet, under hold: SessionHold) async throws(RefreshRefusal) -> RefreshAnswer

    /// Judges an answer; it may come from a process that has died since, hours ago.
    ///
    /// Times in the answer are judged with ``RefreshAnswer/receivedAt``, not with the current time: the old refresh token was sent,
    /// and is not sent again because its answer was stored for a while.
    ///
    /// - Returns: The new tokens; what the answer leaves out is carried over from the old ones.
    /// - Throws: ``RefreshRefusal`` when the answer contains no token. Any other error means that it may contain one: the answer is
    ///   kept and judged again.
    func tokens(from answer: RefreshAnswer, refreshing tokens: TokenSet) async throws -> TokenSet
}

/// An answer of a token endpoint, as it came.
public struct RefreshAnswer: Sendable {
    /// The HTTP status.
    public var status: Int
    /// The body, in which the new tokens are.
    public var body: Secret
    /// The answer's `Authorization` header, for providers that hand a token over there.
    public var authorization: Secret?
    /// When the request began: a token's life counts from there.
    public var startedAt: Date
    /// When the answer was received: the times in it, such as the expiry of an ID token, are checked against this time, however
    /// much later that happens.
    public var receivedAt: Date
    /// What the request carried; known only to the process that sent it.
    package var sent: RedactedValues?

    /// Creates an answer.
    public init(status: Int, body: Secret, authorization: Secret? = nil, startedAt: Date, receivedAt: Date) {
        self.status = status
        self.body = body
        self.authorization = authorization
        self.startedAt = startedAt
        self.receivedAt = receivedAt
    }
}

extension RefreshAnswer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status and the body's size.
    public var description: String { "RefreshAnswer(status: \(status), body: \(body.count) bytes)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the status only.
    public var customMirror: Mirror { Mirror(self, children: ["status": status], displayStyle: .struct) }
}
