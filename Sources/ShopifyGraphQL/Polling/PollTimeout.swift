public import IdentityKit

/// The cause of an `IdentityError` with code `IdentityError.Code.pollTimeout`: polling timed out.
public struct PollTimeout<Output: Sendable>: Error, Sendable {
    /// The last result before the timeout, which did not satisfy the condition of the polling call.
    public let last: GraphQLResult<Output>
}

extension PollTimeout: Redacted {
    /// The name of the result's type, without the result, which may be personal.
    public var description: String { "PollTimeout(last: \(Output.self))" }
}
