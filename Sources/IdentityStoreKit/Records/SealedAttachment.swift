/// The row of an attachment of a session.
public struct SealedAttachment: Sendable {
    /// The keyed hash of the session's id and the attachment's name; it identifies the row.
    public var hash: [UInt8]
    /// The keyed hash of the session's id, by which a removal finds the session's attachments.
    public var session: [UInt8]
    /// The revision, which `SessionAttachmentStore.setAttachment(_:to:of:expecting:)` compares with the expected one.
    public var revision: Int64
    /// Name and payload, encrypted.
    public var record: [UInt8]

    /// Creates a row from its columns.
    public init(hash: [UInt8], session: [UInt8], revision: Int64, record: [UInt8]) {
        self.hash = hash
        self.session = session
        self.revision = revision
        self.record = record
    }

    package var identity: RecordFields { RecordFields(.attachment, row: hash, generation: revision) }
}
