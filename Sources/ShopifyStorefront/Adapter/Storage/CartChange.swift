internal import IdentityKit
internal import ShopifyGraphQL

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

/// The outcome of an operation on a session's cart, and the changed cart to store with the session.
struct CartChange<Value: Sendable>: Sendable {
    /// What the caller of the operation gets after the cart was stored: a value, or an error.
    let outcome: Result<Value, IdentityError>
    /// The cart to store; with nil, the stored cart stays as it is.
    let binding: CartBinding?
    let onConflict: CartConflictAction

    init(_ value: Value, saving binding: CartBinding?, onConflict: CartConflictAction = .repeat) {
        outcome = .success(value)
        self.binding = binding
        self.onConflict = onConflict
    }

    init(throwing error: IdentityError, saving binding: CartBinding, onConflict: CartConflictAction = .repeat) {
        outcome = .failure(error)
        self.binding = binding
        self.onConflict = onConflict
    }
}

/// What ``CartOperation`` does if another process changed the session's attachment before the operation's outcome was saved.
enum CartConflictAction: Sendable {
    /// Repeats the operation with the attachment that the other process wrote; for operations that can run twice without harm.
    case `repeat`
    /// Does not repeat the operation, and keeps what the other process saved; for operations that must not run twice, such as adding lines.
    case keep
    /// Removes the buyer from the cart that the operation created, because no session stores this cart. Then repeats the operation.
    case detachAndRepeat
}

/// Thrown in the adapter when another process changed the session's attachment, or when the session has ended.
///
/// ``CartOperation`` catches this error, and repeats the operation with the attachment that the other process wrote. If the session has
/// ended, ``CartOperation`` throws the error of an ended session instead, except with ``CartUse/attachmentOnly``. `CartAdapter.accept`
/// catches this error after Shopify has executed the operation's mutation, so that the mutation is not repeated.
struct CartConflict: Error {}

/// Thrown in the adapter when Shopify no longer has an operation's cart.
///
/// ``CartOperation`` catches it and removes the cart from the session's attachment.
struct CartGone: Error {
    let metadata: GraphQLMetadata

    init(_ metadata: GraphQLMetadata) { self.metadata = metadata }
}
