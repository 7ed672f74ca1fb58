/// Thrown in the adapter when Shopify no longer has an operation's cart.
///
/// The session's cart must then be removed.
struct CartGone: Error {}
