/// How an operation uses the session's attachment, in which the cart is stored.
enum CartUse: Sendable {
    /// The attachment is saved after the operation, if the binding has changed.
    case standard
    /// Like ``standard``, but the operation needs only the attachment. So a cart that Shopify no longer has is not created again, even with
    /// the policy `recreate`.
    case attachmentOnly
    /// If the session has no cart, the attachment is also written before the operation. So if the store fails, no cart is created that no
    /// attachment names.
    case creating
    /// The attachment is also written before the operation, which replaces the session's cart.
    case replacing
    /// The operation holds the store's lock of the cart, so no other process runs an exclusive operation on the cart at the same time. The
    /// attachment is also written before the operation, so that operations of other processes without this lock detect the change.
    case exclusive
}
