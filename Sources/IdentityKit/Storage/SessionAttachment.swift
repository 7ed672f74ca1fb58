/// A value that is attached to a session, such as its cart.
public struct SessionAttachment: Sendable {
    /// The value that is attached.
    public var payload: Secret
    /// The number of this version; ``SessionAttachmentStore/setAttachment(_:to:of:expecting:)`` compares it to detect a change.
    ///
    /// Each version gets a new number, even if the attachment or its session was removed and added again.
    public var revision: Int64

    /// Creates an attachment.
    public init(payload: Secret, revision: Int64) {
        self.payload = payload
        self.revision = revision
    }
}
