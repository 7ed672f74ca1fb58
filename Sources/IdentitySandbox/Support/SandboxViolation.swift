/// A rule that a client broke, with the error that the sandbox returned.
public struct SandboxViolation: Sendable, Equatable, CustomStringConvertible {
    /// The endpoint that received the wrong request.
    public let endpoint: SandboxEndpoint
    /// The error code of the response, such as `invalid_client`; empty if the response has no error code.
    public let error: String
    /// The broken rule, as a sentence.
    public let reason: String

    /// The endpoint, the error code and the broken rule.
    public var description: String { "\(endpoint): \(error): \(reason)" }
}
