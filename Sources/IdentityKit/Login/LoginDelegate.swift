/// Is told how a login ended: exactly one of the three, exactly once, on the executor that the caller named.
public protocol LoginDelegate: AnyObject, Sendable {
    /// The buyer signed in.
    func loginDidComplete(_ session: Session)

    /// The login failed; ``IdentityError/kind`` says whether trying again helps.
    func loginDidFail(_ error: IdentityError)

    /// The buyer or the app gave up.
    func loginDidCancel()
}

/// A login that is under way.
public struct LoginHandle: Sendable {
    private let task: Task<Void, Never>

    package init(_ task: Task<Void, Never>) {
        self.task = task
    }

    /// Gives up; after the login has ended this does nothing.
    public func cancel() {
        task.cancel()
    }

    /// Waits until the callback has been handed to its executor.
    public func finished() async {
        await task.value
    }
}
