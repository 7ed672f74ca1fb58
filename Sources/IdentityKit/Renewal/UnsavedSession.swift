/// New tokens, or an answer with them, that the store did not take.
struct UnsavedSession: Sendable {
    /// The row that they were got for, with the new payload.
    let session: StoredSession
    let payload: SessionPayload
    /// Whether they are in the store's second place too.
    var isSpooled = false
}
