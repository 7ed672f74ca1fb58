/// The action if another process changed the session's attachment before the operation's outcome was saved.
enum CartConflictAction: Sendable {
    /// The operation can be repeated without harm. It is repeated with the attachment that the other process wrote.
    case `repeat`
    /// The operation must not be repeated, for example because it added lines. The attachment that the other process wrote is kept.
    case keep
    /// The operation created a cart to which no attachment refers. The buyer is removed from that cart, and the operation is
    /// repeated.
    case detachAndRepeat
}

/// Thrown in the adapter when another process changed the session's attachment.
///
/// ``CartOperation`` catches it and repeats the operation with the new attachment. During an attach after a mutation that Shopify has
/// already executed, `CartAdapter.accept` catches it, and the mutation is not repeated.
struct CartConflict: Error {}
