internal import IdentityKit

/// A session's row as it was read.
struct StoredCartRow: Sendable {
    /// The session's cart.
    var binding: CartBinding?
    /// The content of a row without a cart.
    var pending: PendingCart?
    var payload: Secret?
    var revision: Int64?
}

/// The rows of one shop's carts, as attachments of sessions.
struct CartRows: Sendable {
    let store: any SessionAttachmentStore
    /// The attachment's name.
    ///
    /// Each shop has its own.
    let name: String
    let clock: any IdentityClock

    /// Reads a row.
    ///
    /// The result can become outdated at any time, so changes require a ``LockedCartRow``.
    func read(_ session: SessionID) async throws -> StoredCartRow {
        guard let attachment = try await store.attachment(name, of: session) else { return StoredCartRow() }
        var row = StoredCartRow(payload: attachment.payload, revision: attachment.revision)
        row.pending = PendingCart(attachment.payload)
        if row.pending == nil { row.binding = try CartBinding(attachment.payload) }
        return row
    }
}
