/// New tokens, or an answer with them, that the store did not take.
struct UnsavedSession: Sendable {
    /// The row that they were got for, with the new payload.
    let session: StoredSession
    let payload: SessionPayload
    /// Whether they are in the store's second place too.
    var isSpooled = false
    /// Whether the row holds the answer that the tokens came in: the next process judges it again.
    var isAnswerStored = false

    /// Whether the tokens survive this process.
    var isDurable: Bool { isSpooled || isAnswerStored }
}
