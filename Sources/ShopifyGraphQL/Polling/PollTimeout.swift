public import IdentityKit

/// The cause of an `IdentityError` with code `IdentityError.Code.pollTimeout`: polling timed out.
public struct PollTimeout<Output: Sendable>: Error, Sendable {
    /// The last result before the timeout, with which polling was not done yet.
    public let last: GraphQLResult<Output>
}

extension PollTimeout: Redacted {
    /// The type of the result.
    ///
    /// The result itself may be personal.
    public var description: String { "PollTimeout(last: \(Output.self))" }
}
