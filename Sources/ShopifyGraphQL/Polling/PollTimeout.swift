public import IdentityKit

/// The cause of an `IdentityError` with code `IdentityError.Code.pollTimeout`: polling timed out.
public struct PollTimeout<Output: Sendable>: Error, Sendable {
    /// The last result before the timeout; the polling call was waiting for another one.
    public let last: GraphQLResult<Output>
}

extension PollTimeout: Redacted {
    /// The name of the result's type, without the result, which may be personal.
    public var description: String { "PollTimeout(last: \(Output.self))" }
}
