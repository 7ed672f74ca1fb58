/// The outcome of an operation on a session's cart, with the binding to save.
struct CartChange<Result: Sendable>: Sendable {
    let result: Result
    /// The binding to save; nil saves nothing.
    let binding: CartBinding?
    let onConflict: CartConflictAction

    init(_ result: Result, saving binding: CartBinding?, onConflict: CartConflictAction = .repeat) {
        self.result = result
        self.binding = binding
        self.onConflict = onConflict
    }
}
