/// What one renewal came to.
struct Renewal: Sendable {
    let stored: StoredSession
    let payload: SessionPayload
    let outcome: TokenOutcome
}
