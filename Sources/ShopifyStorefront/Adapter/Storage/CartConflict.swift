/// What ``CartOperation`` does if another process changed the session's attachment before the operation's outcome was saved.
enum CartConflictAction: Sendable {
    /// Repeats the operation with the attachment that the other process wrote; for operations that can run twice without harm.
    case `repeat`
    /// Keeps the attachment that the other process wrote; for operations that must not run twice, such as adding lines.
    case keep
    /// Removes the buyer from the cart that the operation created, because no session stores it, and repeats the operation.
    case detachAndRepeat
}

/// Thrown in the adapter when another process changed the session's attachment.
///
/// ``CartOperation`` catches it and repeats the operation with the attachment that the other process wrote. `CartAdapter.accept` catches it
/// if Shopify has already executed the mutation of the operation; the mutation is then not repeated.
struct CartConflict: Error {}
