/// The action if another process changed the attachment before the outcome was saved.
enum CartConflictAction: Sendable {
    /// The operation sets a state, so it is repeated on the attachment of the other process.
    case `repeat`
    /// The operation must not be repeated, and the attachment of the other process is kept.
    case keep
    /// The operation created a cart to which no attachment refers. The buyer is removed from that cart, and the operation is
    /// repeated.
    case detachAndRepeat
}

/// Another process changed the attachment.
///
/// The operation is repeated with the new attachment.
struct CartConflict: Error {}
