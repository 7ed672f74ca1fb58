/// Receives the result of a login: exactly one of the three calls, once, on the executor that the caller chose.
public protocol LoginDelegate: AnyObject, Sendable {
    /// The buyer signed in.
    func loginDidComplete(_ session: Session)

    /// The login failed; ``IdentityError/kind`` says whether another attempt can help.
    func loginDidFail(_ error: IdentityError)

    /// The buyer or the app cancelled the login.
    func loginDidCancel()
}

/// A running login of a callback-based entry point.
public struct LoginHandle: Sendable {
    private let task: Task<Void, Never>

    package init(_ task: Task<Void, Never>) {
        self.task = task
    }

    /// Cancels the login; has no effect after it ended.
    public func cancel() {
        task.cancel()
    }

    /// Waits until the callback was passed to its executor.
    public func finished() async {
        await task.value
    }
}
