internal import IdentityKit

extension CartOperation {
    /// Removes a cart that Shopify no longer has from the session's attachment; false if another process has changed the attachment.
    func removeGoneCart(_ locked: LockedCart, _ gone: CartGone) async throws -> Bool {
        guard let binding = locked.binding else { throw IdentityError.cartIsGone(gone.metadata) }
        let pending = adapter.policy.gone == .recreate ? PendingCart(recreating: binding) : nil
        guard try await locked.write(pending?.payload) else { return false }
        adapter.report(.gone, session)
        return true
    }

    /// Creates the session's cart again with the stored lines of a cart that Shopify no longer has, under a lock of the store.
    ///
    /// If two processes do so at once, the second one waits and then uses the cart of the first. The lock has its own name, because the
    /// operation may already hold the lock of ``CartUse/exclusive``.
    func recreateUnderLock() async throws {
        let attachments = adapter.attachments
        let name = LockName.attachment(attachments.name + " recreation", of: session)
        try await attachments.store.withLock(name, waitingUpTo: CartAdapter.lockTimeout) { _ in try await recreate() }
    }

    /// Creates the cart without the lines that Shopify rejects; the attachment keeps the lines until the new cart is saved.
    private func recreate() async throws {
        guard try await adapter.attachments.read(session).pending?.lines.isEmpty == false else { return }
        guard let stored = try await prepared(for: .creating), var pending = stored.pending else { return }
        let locked = LockedCart(session, stored, adapter.attachments, under: locks)
        let context = StorefrontContext(buyerIP: pending.buyerIP, country: pending.country)
        let (location, isAddressRemoved) = (pending.companyLocationID, pending.isAddressRemoved)
        let created: CartBinding?
        do {
            created = try await adapter.omittingRefused(&pending.lines) { lines in
                guard !lines.isEmpty else { return nil }
                return try await adapter.createCart(
                    lines,
                    session,
                    context,
                    companyLocationID: location,
                    sendsAddress: !isAddressRemoved
                ).binding
            }
            .result
        } catch let error as IdentityError where stored.beganCreation && Self.refusals.contains(error.code) {
            await endCreation(locked)
            throw error
        }
        guard var created else {
            _ = try await locked.write(nil)
            return
        }
        // The location is stored even if Shopify refused it for the new cart. So the next attach sends it again, and lists it as omitted if
        // Shopify refuses it again.
        created.companyLocationID = location
        created.isAddressRemoved = isAddressRemoved
        let change = CartChange((), saving: created, onConflict: .detachAndRepeat)
        if case .done = try await saved(change, locked) { adapter.report(.recreated, session) }
    }
}
