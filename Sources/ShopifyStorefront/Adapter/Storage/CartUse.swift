/// The use of the session's attachment by an operation.
enum CartUse: Sendable {
    /// The attachment is saved after the operation, if the binding has changed.
    case standard
    /// Like ``standard``, but a cart that Shopify no longer has is not created again, because the operation needs only the
    /// attachment.
    case attachmentOnly
    /// The attachment is also written before the operation, if there is no cart. So no cart is created that the store cannot keep.
    case creating
    /// The attachment is also written before the operation, which replaces the session's cart.
    case replacing
    /// If the store has locks, no other process works on the cart at the same time. The attachment is written before and after the
    /// operation, so that without locks each process notices the changes of the others.
    case exclusive
}
