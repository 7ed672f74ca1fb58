internal import IdentityKit
internal import ShopifyGraphQL

/// Thrown in the adapter when Shopify no longer has an operation's cart.
///
/// The session's cart must then be removed.
struct CartGone: Error {}

extension CartAdapter {
    /// Removes a cart that Shopify no longer has from the attachment.
    ///
    /// With the policy `recreate` the attachment keeps its lines for a new one.
    ///
    /// - Returns: False if another process has changed the session's attachment in the meantime.
    func removeGoneCart(_ locked: LockedCart) async throws -> Bool {
        guard let gone = locked.binding else { throw IdentityError.cartIsGone }
        let pending = policy.gone == .recreate ? PendingCart(recreating: gone) : nil
        guard try await locked.write(pending?.payload) else { return false }
        report(.gone, locked.session)
        return true
    }

    /// Creates a cart with the lines of one that Shopify no longer has.
    ///
    /// The attachment keeps the lines until the new cart is saved. Lines that Shopify rejects are omitted.
    func recreate(_ id: SessionID, under locks: InProcessCartLocks) async throws {
        guard let stored = try await prepared(id, for: .creating, under: locks), var pending = stored.pending else {
            return
        }
        let locked = LockedCart(id, stored, attachments, under: locks)
        let context = StorefrontContext(buyerIP: pending.buyerIP, country: pending.country)
        let created: CartBinding?
        do {
            created = try await omittingRefused(&pending.lines) { lines in
                lines.isEmpty ? nil : try await createCart(lines, id, context).binding
            }
            .result
        } catch {
            // This process gives up. Without `since` the next operation tries again at once and does not wait for this process.
            pending.since = nil
            _ = try? await locked.write(pending.payload)
            throw error
        }
        guard let created else {
            _ = try await locked.write(nil)
            return
        }
        do {
            if try await locked.write(created.payload) { return report(.recreated, id) }
        } catch {
            try? await detachUnsaved(created)
            throw error
        }
        try await detachUnsaved(created)
    }
}
