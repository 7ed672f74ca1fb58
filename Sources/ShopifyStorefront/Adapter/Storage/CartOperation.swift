internal import IdentityKit
internal import ShopifyGraphQL

/// One operation on a session's cart, in a task that holds the session's lock.
///
/// ``run(_:)`` reads the session's attachment, runs the closure under the cart's lock, and saves the outcome. If another process changed
/// the attachment meanwhile, ``CartConflictAction`` decides whether the closure runs again.
struct CartOperation: Sendable {
    enum Attempt<Value: Sendable>: Sendable {
        case done(Result<Value, IdentityError>)
        /// Shopify no longer has the cart. The value is nil if another process changed the attachment before the cart was removed from it.
        case gone(CartGone?)
        case conflict
    }

    /// The maximum number of attempts, in case other processes keep changing the attachment.
    static let attempts = 5

    let adapter: CartAdapter
    let session: SessionID
    let use: CartUse
    let locks: InProcessCartLocks

    func run<Value: Sendable>(
        _ body: @Sendable (LockedCart) async throws -> CartChange<Value>
    ) async throws -> Value {
        var gone: CartGone?
        for _ in 0..<Self.attempts {
            guard let stored = try await prepared(for: use) else { continue }
            if use != .attachmentOnly, use != .replacing, adapter.policy.gone == .recreate,
                stored.pending?.lines.isEmpty == false
            {
                try await recreateUnderLock()
                continue
            }
            let attempt = try await locks.with(stored.binding.map { .cart($0.cartID) }) { locks in
                let locked = LockedCart(session, stored, adapter.attachments, under: locks)
                do {
                    return try await saved(try await body(locked), locked)
                } catch let gone as CartGone {
                    return Attempt<Value>.gone(try await removeGoneCart(locked, gone) ? gone : nil)
                } catch is CartConflict {
                    if let binding = locked.binding { try await detachAfterConflict(from: binding, .repeat, locked) }
                    return .conflict
                } catch let error as IdentityError where gone != nil && error.code == .cartMissing {
                    throw IdentityError.cartIsGone(gone?.metadata)
                } catch let error as IdentityError where stored.beganCreation && Self.refusals.contains(error.code) {
                    await endCreation(locked)
                    throw error
                }
            }
            switch attempt {
            case .done(let outcome): return try outcome.get()
            case .gone(let removed): gone = removed ?? gone
            case .conflict:
                // `session` throws if the session has ended. An operation with `.attachmentOnly` is repeated without this check: a session
                // that has ended has no attachment, so the repeated operation finds no cart.
                if use != .attachmentOnly { _ = try await adapter.sessions.session(session) }
            }
        }
        throw CartAdapter.busy
    }

    /// The codes of errors after which Shopify has no new cart, although the operation tried to create one.
    static let refusals: Set<IdentityError.Code> = [
        .cartUserErrors, .storefrontRefused, .throttled, .securityRejection, .cartGone,
    ]

    /// Removes the start time of a creation from the attachment, after Shopify rejected the creation or no longer has the new cart.
    ///
    /// Otherwise a later creation would report this creation as ``CartEvent/Kind/interrupted``.
    func endCreation(_ locked: LockedCart) async {
        var pending = locked.pending ?? PendingCart()
        pending.since = nil
        _ = try? await locked.write(pending.lines.isEmpty ? nil : pending.payload)
    }

    func saved<Value>(_ change: CartChange<Value>, _ locked: LockedCart) async throws -> Attempt<Value> {
        guard let new = change.binding else { return .done(change.outcome) }
        let payload = new.payload
        if locked.sent == .nothing, use != .exclusive {
            if locked.isSaved(payload) { return .done(change.outcome) }
            if locked.isSavedWithAnotherIP(new) {
                // Only the buyer's IP has changed. If this write fails, the operation has succeeded all the same, and the app must not
                // repeat it.
                _ = try? await locked.write(payload)
                return .done(change.outcome)
            }
        }
        do {
            if try await locked.write(payload) { return .done(change.outcome) }
        } catch {
            switch change.onConflict {
            case .repeat: throw error
            // Shopify has made the change. An error would make the app repeat the change. The stored attachment still names the cart.
            case .keep: return .done(change.outcome)
            case .detachAndRepeat:
                try? await adapter.detachUnsaved(new)
                throw error
            }
        }
        try await detachAfterConflict(from: new, change.onConflict, locked)
        return change.onConflict == .keep ? .done(change.outcome) : .conflict
    }

    /// Reads the attachment, and writes it if ``CartUse`` requires a write before the operation.
    ///
    /// Nil if another process changed the attachment between the read and the write.
    func prepared(for use: CartUse) async throws -> StoredCart? {
        let stored = try await adapter.attachments.read(session)
        switch use {
        case .standard, .attachmentOnly: return stored
        case .creating, .replacing:
            if let since = stored.pending?.since {
                // The creation of a cart has begun, and its request may still reach Shopify. The stored start time shows that the store can
                // save attachments, so no further write is needed.
                guard !adapter.stillCounts(since: since) else { return stored }
                adapter.report(.interrupted, session)
            } else if stored.binding != nil, use == .creating {
                return stored
            }
        // If the session has no cart, the operation changes nothing. A write would cause a conflict for a process that is creating a cart.
        case .exclusive: guard stored.binding != nil else { return stored }
        }
        // This write tests that the store can save, before Shopify gets a request. It also gives the attachment a new revision, even if
        // the payload stays the same, so that other processes detect the operation.
        var payload = stored.binding?.payload
        if payload == nil {
            var pending = stored.pending ?? PendingCart()
            pending.since = adapter.attachments.clock.now
            payload = pending.payload
        }
        guard try await LockedCart(session, stored, adapter.attachments, under: locks).write(payload) else {
            // Throws if the session no longer exists.
            _ = try await adapter.sessions.session(session)
            return nil
        }
        var written = try await adapter.attachments.read(session)
        written.beganCreation = written.binding == nil
        return written
    }

    /// Removes the buyer from the operation's cart if another process changed the attachment, and no later logout would remove the buyer.
    ///
    /// The buyer is removed if the operation sent data of the buyer or created the cart, and the attachment now names another cart or no
    /// cart. If the operation sent an identity, the buyer is also removed if the attachment names the same cart without an identity.
    ///
    /// - Throws: An error if the buyer could not be removed. With ``CartConflictAction/keep``, also an error if the session has ended.
    private func detachAfterConflict(
        from new: CartBinding,
        _ onConflict: CartConflictAction,
        _ locked: LockedCart
    ) async throws {
        let current = try await adapter.attachments.read(session)
        var isKnown = locked.sent == .nothing
        if onConflict == .detachAndRepeat { isKnown = false }
        if let binding = current.binding, binding.cartID == new.cartID {
            isKnown = isKnown || locked.sent != .identity || binding.identity != .guest
        }
        if !isKnown {
            do { try await adapter.detachUnsaved(new) } catch {
                throw Self.detachIncomplete(isNewCart: onConflict == .detachAndRepeat, cause: error)
            }
        }
        if current.payload == nil, onConflict == .keep { _ = try await adapter.sessions.session(session) }
    }

    private static func detachIncomplete(isNewCart: Bool, cause: any Error) -> IdentityError {
        IdentityError(
            .retryLater,
            .detachIncomplete,
            isNewCart
                ? "Another process changed the session's cart while this operation created a cart, and the buyer could not be removed "
                    + "from the cart that this operation created."
                : "The session's cart was changed or removed during this operation. The buyer may still be on the cart that this "
                    + "operation changed.",
            hint: isNewCart
                ? "Try again. No session has the cart that this operation created, so no other buyer gets it."
                : "If the session still exists, call read(for:in:). If read(for:in:) returns the cart that this operation changed, call "
                    + "detach(from:in:). Do not give that cart to another buyer.",
            cause: cause
        )
    }
}
