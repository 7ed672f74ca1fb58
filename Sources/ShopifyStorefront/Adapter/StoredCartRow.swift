internal import IdentityKit

/// A session's row as it was read.
struct StoredCartRow: Sendable {
    /// The session's cart.
    var binding: CartBinding?
    /// What the row says when there is no cart yet, or no longer.
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
    /// The result can be out of date at once: only a ``LockedCartRow`` is a base for a change.
    func read(_ session: SessionID) async throws -> StoredCartRow {
        guard let attachment = try await store.attachment(name, of: session) else { return StoredCartRow() }
        var row = StoredCartRow(payload: attachment.payload, revision: attachment.revision)
        row.pending = PendingCart(attachment.payload)
        if row.pending == nil { row.binding = try CartBinding(attachment.payload) }
        return row
    }
}
