internal import IdentityKit

/// A session's cart as it was read from its attachment.
struct StoredCart: Sendable {
    var binding: CartBinding?
    var pending: PendingCart?
    let payload: Secret?
    let revision: Int64?
    /// Whether the operation that read the attachment has written ``PendingCart/since`` itself.
    var beganCreation = false

    init(_ payload: Secret?, revision: Int64? = nil) throws(IdentityError) {
        self.payload = payload
        self.revision = revision
        guard let payload else { return }
        let value = try? JSONValue(parsing: payload.revealBytes())
        pending = value.flatMap { PendingCart($0) }
        if pending == nil { binding = try CartBinding(value) }
    }
}

/// The attachments of sessions, which store the carts of one shop.
struct CartAttachments: Sendable {
    let store: any SessionAttachmentStore & SessionLocking
    let name: String
    let clock: any IdentityClock

    /// The result can become outdated at any time, so changes require a ``LockedCart``.
    func read(_ session: SessionID) async throws -> StoredCart {
        let attachment = try await store.attachment(name, of: session)
        return try StoredCart(attachment?.payload, revision: attachment?.revision)
    }
}
