/// Receives events, for logs and metrics.
///
/// ```swift
/// struct FailedLogins: IdentityObserver {
///     func identityEvent(_ event: IdentityEvent) {
///         if case .loginFailed(let code) = event.kind { print("A login at \(event.provider) failed: \(code)") }
///     }
/// }
/// ```
public protocol IdentityObserver: Sendable {
    /// Called synchronously on the task that caused the event: return quickly.
    func identityEvent(_ event: IdentityEvent)
}
