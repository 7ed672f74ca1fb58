/// A value that is attached to a session.
public struct SessionAttachment: Sendable {
    /// The value that is attached.
    public var payload: Secret
    /// The number of the change that saved this value, for compare-and-set.
    public var revision: Int64

    /// Creates an attachment.
    public init(payload: Secret, revision: Int64) {
        self.payload = payload
        self.revision = revision
    }
}
