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
    /// The operation holds the store's lock of the cart, so no other process runs an exclusive operation on the cart at the same time. The
    /// attachment is written before and after the operation, so that the other operations of other processes notice it.
    case exclusive
}
