internal import IdentityKit
internal import ShopifyGraphQL

/// The outcome of an attempt of an operation.
private enum CartAttempt<Result: Sendable>: Sendable {
    case done(Result)
    /// Shopify no longer has the cart. The value is true if it was still the session's cart.
    case gone(Bool)
    /// Another process changed the attachment.
    case conflict
}

extension CartAdapter {
    /// The maximum wait for the store's lock while another process changes the same cart.
    private static let lockTimeout = Duration.seconds(15)
    /// The maximum number of attempts while other processes change the attachment.
    private static let attempts = 5

    /// Runs an operation on a session's cart under its locks, and saves the outcome.
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - use: How the operation uses the attachment.
    ///   - locks: The locks that the caller holds.
    ///   - body: The operation.
    /// - Returns: The result of the operation.
    /// - Throws: `IdentityError`; with code `IdentityError.Code.sessionUnknown` when there is no such session, or it has expired.
    func withLockedCart<Result: Sendable>(
        _ id: SessionID,
        _ use: CartUse = .standard,
        under locks: InProcessCartLocks? = nil,
        _ body: @Sendable (LockedCart) async throws -> CartChange<Result>
    ) async throws -> Result {
        try await identityErrors {
            let outer = locks ?? self.locks
            return try await outer.with(.session(id)) { locks in
                // The attachment of an expired session stays until the next sweep. A caller that holds the lock has checked the session.
                if !outer.holds(.session(id)) { _ = try await self.sessions.session(id) }
                guard use == .exclusive else { return try await self.attempt(id, use, locks, body) }
                let name = try await self.lockName(id)
                return try await self.attachments.store.withLock(name, waitingUpTo: Self.lockTimeout) { _ in
                    try await self.attempt(id, use, locks, body)
                }
            }
        }
    }

    /// The store's lock of the session's cart, or of its attachment if it has no cart.
    ///
    /// Several sessions can have the same cart.
    private func lockName(_ id: SessionID) async throws -> LockName {
        guard let cartID = try await attachments.read(id).binding?.cartID else {
            return .attachment(attachments.name, of: id)
        }
        return .object(cartID.rawValue)
    }

    /// Runs an operation on the cart of a session that has one, and saves the binding.
    ///
    /// - Throws: `IdentityError` in the same cases as ``withLockedCart(_:_:under:_:)``; with code `IdentityError.Code.cartMissing` when the
    ///   session has no cart.
    func withCart<Result: Sendable>(
        _ id: SessionID,
        _ use: CartUse = .standard,
        under locks: InProcessCartLocks? = nil,
        _ body: @Sendable (inout CartBinding, LockedCart) async throws -> Result
    ) async throws -> Result {
        try await withLockedCart(id, use, under: locks) { locked in
            guard var binding = locked.binding else { throw Self.noCart }
            let result = try await body(&binding, locked)
            return CartChange(result, saving: binding)
        }
    }

    private func attempt<Result: Sendable>(
        _ id: SessionID,
        _ use: CartUse,
        _ locks: InProcessCartLocks,
        _ body: @Sendable (LockedCart) async throws -> CartChange<Result>
    ) async throws -> Result {
        var wasGone = false
        for _ in 0..<Self.attempts {
            guard let stored = try await prepared(id, for: use, under: locks) else { continue }
            if use == .standard || use == .creating || use == .exclusive, policy.gone == .recreate,
                stored.pending?.lines.isEmpty == false
            {
                try await recreate(id, under: locks)
                continue
            }
            let attempt = try await locks.with(stored.binding.map { .cart($0.cartID) }) { locks in
                let locked = LockedCart(id, stored, self.attachments, under: locks)
                do {
                    return try await self.saved(try await body(locked), locked, use)
                } catch is CartGone {
                    return CartAttempt<Result>.gone(try await self.removeGoneCart(locked))
                } catch is CartConflict {
                    if let binding = locked.binding {
                        try await self.detachAfterConflict(from: binding, CartChange<Result>.OnConflict.repeat, locked)
                    }
                    return .conflict
                } catch let error as IdentityError where wasGone && error.code == .cartMissing {
                    throw IdentityError.cartIsGone
                } catch let error as IdentityError where stored.beganCreation && Self.refusals.contains(error.code) {
                    await self.endCreation(locked)
                    throw error
                }
            }
            switch attempt {
            case .done(let result): return result
            case .gone(let wasOfSession): wasGone = wasOfSession || wasGone
            case .conflict:
                // Throws if the session has ended. An operation with `.attachmentOnly` goes on without this check: it reads the attachment
                // again.
                if use != .attachmentOnly { _ = try await sessions.session(id) }
            }
        }
        throw Self.busy
    }

    /// The codes of errors after which Shopify has no new cart.
    private static let refusals: Set<IdentityError.Code> = [
        .cartUserErrors, .storefrontRefused, .throttled, .securityRejection, .cartGone,
    ]

    /// Removes the time of a creation from the attachment after Shopify refused to create the cart or lost it.
    ///
    /// Otherwise a later creation would report this one as interrupted.
    private func endCreation(_ locked: LockedCart) async {
        var pending = locked.pending ?? PendingCart()
        pending.since = nil
        // After a failure the time stays, and the event may be reported without reason.
        _ = try? await locked.write(pending.lines.isEmpty ? nil : pending.payload)
    }

    /// Saves the outcome of an operation to the attachment.
    private func saved<Result>(
        _ change: CartChange<Result>,
        _ locked: LockedCart,
        _ use: CartUse
    ) async throws -> CartAttempt<Result> {
        guard let new = change.binding else { return .done(change.result) }
        let payload = new.payload
        if locked.sent == .nothing, use != .exclusive, locked.isSaved(payload) { return .done(change.result) }
        do {
            if try await locked.write(payload) { return .done(change.result) }
        } catch {
            switch change.onConflict {
            case .repeat: throw error
            // Shopify has made the change, and an error would make the caller repeat it. The earlier attachment still names the cart.
            case .keep: return .done(change.result)
            case .detachAndRepeat:
                // No attachment refers to the new cart, so the buyer must not stay on it.
                try? await detachUnsaved(new)
                throw error
            }
        }
        try await detachAfterConflict(from: new, change.onConflict, locked)
        if case .keep = change.onConflict { return .done(change.result) }
        return .conflict
    }

    /// The attachment, written once more if the use requires it.
    ///
    /// Nil if another process wrote it in the meantime.
    func prepared(_ id: SessionID, for use: CartUse, under locks: InProcessCartLocks) async throws -> StoredCart? {
        let stored = try await attachments.read(id)
        switch use {
        case .standard, .attachmentOnly: return stored
        case .creating, .replacing:
            if let since = stored.pending?.since {
                // A creation began, here or in another process, and its call may still arrive. The attachment is already written, so
                // the store can save one.
                guard !lateCallMayArrive(since: since) else { return stored }
                report(.interrupted, id)
            } else if stored.binding != nil, use == .creating {
                return stored
            }
        case .exclusive: guard stored.payload != nil else { return stored }
        }
        // The write tests the store and gives the attachment a new revision, also if the payload stays the same.
        var payload = stored.binding?.payload
        if payload == nil {
            var pending = stored.pending ?? PendingCart()
            pending.since = client.environment.clock.now
            payload = pending.payload
        }
        guard try await LockedCart(id, stored, attachments, under: locks).write(payload) else {
            // Throws if the session no longer exists.
            _ = try await sessions.session(id)
            return nil
        }
        var written = try await attachments.read(id)
        written.beganCreation = written.binding == nil
        return written
    }

    /// Removes the buyer from an operation's cart after another process changed the session's attachment.
    ///
    /// The buyer is removed only if the changed attachment names another cart, or names this cart as a guest's, because then no logout
    /// would remove the buyer.
    ///
    /// - Throws: An error if the session has ended or the buyer could not be removed.
    private func detachAfterConflict<Result>(
        from new: CartBinding,
        _ onConflict: CartChange<Result>.OnConflict,
        _ locked: LockedCart
    ) async throws {
        let current = try await attachments.read(locked.session)
        var isKnown = locked.sent == .nothing
        if case .detachAndRepeat = onConflict { isKnown = false }
        if let binding = current.binding, binding.cartID == new.cartID {
            isKnown = isKnown || locked.sent != .identity || binding.identity != .guest
        }
        if !isKnown {
            do { try await detachUnsaved(new) } catch {
                throw IdentityError(
                    .retryLater,
                    .detachIncomplete,
                    "Another process changed the session's cart, and the buyer could not be removed from the cart of this operation.",
                    hint:
                        "Read the session's cart. If it is still the cart of this operation, call detach(from:in:). Do not give the cart of this "
                        + "operation to another buyer.",
                    cause: error
                )
            }
        }
        if current.payload == nil, case .keep = onConflict { _ = try await sessions.session(locked.session) }
    }

    static var busy: IdentityError {
        IdentityError(
            .retryLater,
            .cartBusy,
            "The operation failed after \(attempts) attempts, because the session's cart changed during each of them.",
            hint: "Try again."
        )
    }

    /// The conflict after the caller's own change has succeeded, which must not be repeated.
    static var busyAttaching: IdentityError {
        busy.recast(
            message:
                "The identity was not put on the cart, because another process changed the session's cart at the same time.",
            hint: "The next checkout tries again. The change of the cart itself has succeeded."
        )
    }
}
