/// A rule that a client broke, with the error that the sandbox returned.
public struct SandboxViolation: Sendable, Equatable, CustomStringConvertible {
    /// Where.
    public let endpoint: SandboxEndpoint
    /// The error code of the answer, such as `invalid_client`.
    public let error: String
    /// What was wrong, in a sentence.
    public let reason: String

    init(endpoint: SandboxEndpoint, error: String, reason: String) {
        self.endpoint = endpoint
        self.error = error
        self.reason = reason
    }

    /// Where, the error code, and what was wrong.
    public var description: String { "\(endpoint): \(error): \(reason)" }
}
