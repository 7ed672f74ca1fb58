/// The result of an operation on a session's cart, and the changed cart to store with the session.
struct CartChange<Result: Sendable>: Sendable {
    let result: Result
    /// The cart to store; with nil, the stored cart stays as it is.
    let binding: CartBinding?
    let onConflict: CartConflictAction

    init(_ result: Result, saving binding: CartBinding?, onConflict: CartConflictAction = .repeat) {
        self.result = result
        self.binding = binding
        self.onConflict = onConflict
    }
}
