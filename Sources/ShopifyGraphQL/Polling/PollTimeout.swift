/// What was polled for did not come in time: the cause of an `IdentityError` with code `IdentityError.Code.pollTimeout`.
public struct PollTimeout<Output: Sendable>: Error, Sendable {
    /// The last answer, which was not what was waited for.
    public let last: GraphQLResult<Output>
}

extension PollTimeout: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type of the answer, which itself may be personal.
    public var description: String { "PollTimeout(last: \(Output.self))" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
