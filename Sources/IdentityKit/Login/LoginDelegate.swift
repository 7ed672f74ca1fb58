/// Receives the result of a login from ``LoginFlow``.
///
/// The flow calls exactly one of the three methods, once, on the executor that the app chose for the login. If the delegate is released
/// before the call, the flow calls no method.
public protocol LoginDelegate: AnyObject, Sendable {
    /// The buyer signed in.
    func loginDidComplete(_ session: Session)

    /// The login failed; ``IdentityError/kind`` says whether another attempt can help.
    func loginDidFail(_ error: IdentityError)

    /// The buyer or the app cancelled the login.
    func loginDidCancel()
}

/// A running login that was started with a completion handler or a delegate, for example by ``LoginFlow``.
public struct LoginHandle: Sendable {
    private let task: Task<Void, Never>

    package init(_ task: Task<Void, Never>) {
        self.task = task
    }

    /// Cancels the login; has no effect after the login has ended.
    public func cancel() {
        task.cancel()
    }

    /// Waits until the login has ended and the call of its completion handler or delegate was passed to the executor.
    public func finished() async {
        await task.value
    }
}
