/// The cause of an `IdentityError` with code `IdentityError.Code.pollTimeout`: polling timed out.
public struct PollTimeout<Output: Sendable>: Error, Sendable {
    /// The last result, which was not the awaited one.
    public let last: GraphQLResult<Output>
}

extension PollTimeout: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type of the result.
    ///
    /// The result itself may be personal.
    public var description: String { "PollTimeout(last: \(Output.self))" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
