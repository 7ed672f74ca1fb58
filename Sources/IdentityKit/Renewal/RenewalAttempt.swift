/// One attempt to renew a session, and what it has come to so far.
struct RenewalAttempt: Sendable {
    /// What was known before.
    let old: SessionPayload
    let hold: SessionHold?
    /// The row as we saved it last.
    var base: StoredSession
    /// The intent, once it is written.
    var intent: RenewalIntent?
    /// Whether the refresh token may have been spent without our having the answer, now or before.
    var isInDoubt: Bool
    /// An answer that is kept in memory only, because the store did not take it.
    var unkeptAnswer: RefreshAnswer?
    /// Until when the claim keeps others out, where there is no lock.
    var actsUntil: Duration?
    /// What the provider as a whole taught us.
    var lesson = ProviderGate.Outcome.nothing

    init(_ stored: StoredSession, _ payload: SessionPayload, under hold: SessionHold?) {
        base = stored
        old = payload
        self.hold = hold
        isInDoubt = payload.intent != nil || stored.isRestored
    }

    /// Whether something that may happen only once may still be done.
    ///
    /// - Parameter now: The time on the clock that goes on while the process is stopped.
    func mayAct(at now: Duration) -> Bool {
        hold?.isHeld ?? (actsUntil.map { now < $0 } ?? true)
    }
}
