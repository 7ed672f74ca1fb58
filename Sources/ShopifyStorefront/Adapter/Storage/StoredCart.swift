internal import IdentityKit

/// A session's cart as it was read from its attachment.
struct StoredCart: Sendable {
    /// The session's cart.
    var binding: CartBinding?
    /// The content of an attachment without a cart.
    var pending: PendingCart?
    var payload: Secret?
    var revision: Int64?
}

/// The attachments of sessions in which the carts of one shop are stored.
struct CartAttachments: Sendable {
    let store: any SessionAttachmentStore
    /// The attachment's name.
    ///
    /// Each shop has its own.
    let name: String
    let clock: any IdentityClock

    /// Reads the attachment of a session.
    ///
    /// The result can become outdated at any time, so changes require a ``LockedCart``.
    func read(_ session: SessionID) async throws -> StoredCart {
        guard let attachment = try await store.attachment(name, of: session) else { return StoredCart() }
        var stored = StoredCart(payload: attachment.payload, revision: attachment.revision)
        stored.pending = PendingCart(attachment.payload)
        if stored.pending == nil { stored.binding = try CartBinding(attachment.payload) }
        return stored
    }
}
