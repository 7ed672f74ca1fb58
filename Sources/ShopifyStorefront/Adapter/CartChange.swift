/// The outcome of an operation on a session's cart, with the binding to save.
struct CartChange<Result: Sendable>: Sendable {
    /// The action if another process changed the attachment before the outcome was saved.
    enum OnConflict: Sendable {
        /// The operation sets a state, so it is repeated on the attachment of the other process.
        case `repeat`
        /// The operation must not be repeated, and the attachment of the other process is kept.
        case keep
        /// The operation created a cart to which no attachment refers. The buyer is removed from that cart, and the operation is
        /// repeated.
        case detachAndRepeat
    }

    let result: Result
    /// The binding to save; nil saves nothing.
    let binding: CartBinding?
    let onConflict: OnConflict

    init(_ result: Result, saving binding: CartBinding?, onConflict: OnConflict = .repeat) {
        self.result = result
        self.binding = binding
        self.onConflict = onConflict
    }
}

/// The use of the session's attachment by an operation.
enum CartUse: Sendable {
    /// The attachment is saved after the operation, if the binding has changed.
    case plain
    /// Like ``plain``, but a cart that is gone is not created again, because the operation needs only the attachment.
    case attachmentOnly
    /// The attachment is also written before the operation, if there is no cart. So no cart is created that the store cannot keep.
    case creating
    /// The attachment is also written before the operation, which replaces the session's cart.
    case replacing
    /// If the store has locks, no other process works on the cart at the same time. The attachment is written before and after the
    /// operation, so that without locks each process notices the changes of the others.
    case exclusive
}

/// Another process changed the attachment before the first request.
///
/// The operation is repeated with the new attachment.
struct CartConflict: Error {}
