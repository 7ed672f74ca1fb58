/// One attempt to renew a session, and what it has come to so far.
struct RenewalAttempt: Sendable {
    /// What was known before.
    let old: SessionPayload
    /// The store's lock, where the store has locks.
    let lock: SessionHold?
    /// Until when a request may be sent: while the lock is held; without locks, while the claim keeps others out.
    var hold: SessionHold
    /// The row as we saved it last.
    var base: StoredSession
    /// The intent, once it is written.
    var intent: RenewalIntent?
    /// Whether the refresh token may have been spent without our having the answer, now or before.
    var isInDoubt: Bool
    /// Whether the row holds the answer to the last request.
    var isAnswerStored = false
    /// An answer that is kept in memory only, because the store did not take it.
    var unkeptAnswer: RefreshAnswer?
    /// What the provider as a whole taught us.
    var lesson = RefreshLimiter.Outcome.nothing

    init(_ stored: StoredSession, _ payload: SessionPayload, under lock: SessionHold?) {
        base = stored
        old = payload
        self.lock = lock
        hold = lock ?? .kernel
        isInDoubt = payload.intent != nil || stored.isRestored
    }
}
