/// How an operation uses the session's attachment, in which the cart is stored.
enum CartUse: Sendable {
    /// The attachment is saved after the operation, if the binding has changed.
    case standard
    /// Like ``standard``, for an operation that needs no cart at Shopify. A cart that Shopify no longer has is not created again, even with
    /// the policy `recreate`.
    case attachmentOnly
    /// If the session has no cart, the attachment is also written before the operation. A store that cannot save then fails before Shopify
    /// has a new cart.
    case creating
    /// The operation replaces the session's cart, and the attachment is also written before the operation.
    case replacing
    /// The operation holds the store's lock of the cart, so no other process runs an exclusive operation on the cart at the same time. The
    /// attachment is also written before the operation, so that operations of other processes without this lock detect the change.
    case exclusive
}
