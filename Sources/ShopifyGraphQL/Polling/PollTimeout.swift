public import IdentityKit

/// The cause of an `IdentityError` with code `IdentityError.Code.pollTimeout`: polling timed out.
public struct PollTimeout<Output: Sendable>: Error, Sendable {
    /// The last result before the timeout; the condition of the polling call did not accept it.
    public let last: GraphQLResult<Output>
}

extension PollTimeout: Redacted {
    /// The name of the result's type; the result itself may be personal, so it is left out.
    public var description: String { "PollTimeout(last: \(Output.self))" }
}
