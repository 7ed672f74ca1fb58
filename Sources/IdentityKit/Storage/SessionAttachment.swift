/// A value that is attached to a session.
public struct SessionAttachment: Sendable {
    /// The value.
    public var payload: Secret
    /// Counts the changes, for compare-and-set.
    public var revision: Int64

    /// Creates a value.
    public init(payload: Secret, revision: Int64) {
        self.payload = payload
        self.revision = revision
    }
}
