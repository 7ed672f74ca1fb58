internal import IdentityKit
internal import ShopifyGraphQL
internal import Synchronization

/// A session's cart and the attachment that stores it, for one operation that holds the locks of both.
///
/// ``CartAdapter/withLockedCart(_:_:under:_:)`` creates it for one operation, and only this type writes attachments. While an operation holds it,
/// no other task of this process works on the session or on its cart. Another process can still write the attachment, unless the use is
/// ``CartUse/exclusive``. So each write names the revision that it replaces, and fails when the attachment has another one.
final class LockedCart: Sendable {
    private struct State {
        var payload: Secret?
        var revision: Int64?
        var sent = SentData.nothing
    }

    /// The data of the buyer that may have been sent since the attachment was read.
    enum SentData {
        case nothing
        /// An address or a gift card.
        case withoutIdentity
        case identity
    }

    /// The session of the cart.
    let session: SessionID
    /// The session's cart as it was read; nil if the session has none.
    let binding: CartBinding?
    /// The content of an attachment without a cart.
    let pending: PendingCart?
    /// The locks that the operation holds, for operations inside it.
    let locks: CartLocks
    private let attachments: CartAttachments
    private let state: Mutex<State>

    fileprivate init(_ session: SessionID, _ stored: StoredCart, _ attachments: CartAttachments, under locks: CartLocks)
    {
        self.session = session
        binding = stored.binding
        pending = stored.pending
        self.locks = locks
        self.attachments = attachments
        state = Mutex(State(payload: stored.payload, revision: stored.revision))
    }

    /// The data of the buyer that may have been sent since the attachment was read.
    var sent: SentData { state.withLock { $0.sent } }

    /// Whether a binding equals the content of the attachment.
    func isSaved(_ binding: CartBinding) -> Bool {
        let payload = state.withLock { $0.payload }
        return payload.map { binding.payload.isEqual(to: $0) } ?? false
    }

    /// Writes the attachment, or removes it.
    ///
    /// It runs in a separate task, because a cancellation of the caller must not leave a cart at Shopify that no attachment names. The
    /// buyer could not be removed from such a cart.
    ///
    /// - Returns: Whether the attachment was written. False means that another process has changed it.
    func write(_ payload: Secret?) async throws -> Bool {
        let (attachments, session, revision) = (attachments, session, state.withLock { $0.revision })
        return try await Task {
            try await attachments.store.setAttachment(attachments.name, to: payload, of: session, expecting: revision)
        }.value
    }

    /// Writes to the attachment that personal data are about to be sent to the cart.
    ///
    /// If the response is lost or this process ends, the attachment still says that the buyer may be on the cart. And no process hands the
    /// cart to another buyer while the data may still arrive.
    ///
    /// - Throws: ``CartConflict`` when another process changed the attachment. Nothing was sent then.
    func recordIntent(_ binding: inout CartBinding, sendsIdentity: Bool) async throws {
        let before = binding.unanswered
        binding.unanswered = CartBinding.Unanswered(
            since: attachments.clock.now,
            isIdentity: sendsIdentity || before?.isIdentity == true
        )
        let payload = binding.payload
        guard try await write(payload),
            let written = try await attachments.store.attachment(attachments.name, of: session),
            written.payload.isEqual(to: payload)
        else {
            binding.unanswered = before
            throw CartConflict()
        }
        state.withLock { state in
            state.payload = written.payload
            state.revision = written.revision
            if sendsIdentity { state.sent = .identity }
            if state.sent == .nothing { state.sent = .withoutIdentity }
        }
    }
}

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
        _ use: CartUse = .plain,
        under locks: CartLocks? = nil,
        _ body: @Sendable (LockedCart) async throws -> CartChange<Result>
    ) async throws -> Result {
        try await identityErrors {
            let outer = locks ?? self.locks
            return try await outer.with(.session(id)) { locks in
                // The attachment of an expired session stays until the next sweep. A caller that holds the lock has checked the session.
                if !outer.holds(.session(id)) { _ = try await self.sessions.session(id) }
                guard use == .exclusive, let locking = self.attachments.store as? any SessionLocking else {
                    return try await self.attempt(id, use, locks, body)
                }
                let name = LockName.attachment(self.attachments.name, of: id)
                return try await locking.withLock(name, waitingUpTo: Self.lockTimeout) { _ in
                    try await self.attempt(id, use, locks, body)
                }
            }
        }
    }

    private func attempt<Result: Sendable>(
        _ id: SessionID,
        _ use: CartUse,
        _ locks: CartLocks,
        _ body: @Sendable (LockedCart) async throws -> CartChange<Result>
    ) async throws -> Result {
        var wasGone = false
        for _ in 0..<Self.attempts {
            guard let stored = try await prepared(id, for: use, under: locks) else { continue }
            if use == .plain || use == .creating || use == .exclusive, policy.gone == .recreate,
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
                    return .conflict
                } catch let error as IdentityError where wasGone && error.code == .cartMissing {
                    throw IdentityError.cartIsGone
                }
            }
            switch attempt {
            case .done(let result): return result
            case .gone(let wasOfSession): wasGone = wasOfSession || wasGone
            case .conflict:
                // Throws if the session has ended. An operation that needs only the attachment checks that itself.
                if use != .attachmentOnly { _ = try await sessions.session(id) }
            }
        }
        throw Self.busy
    }

    /// Saves the outcome of an operation to the attachment.
    private func saved<Result>(
        _ change: CartChange<Result>,
        _ locked: LockedCart,
        _ use: CartUse
    ) async throws -> CartAttempt<Result> {
        guard let new = change.binding else { return .done(change.result) }
        if locked.sent == .nothing, use != .exclusive, locked.isSaved(new) { return .done(change.result) }
        do {
            if try await locked.write(new.payload) { return .done(change.result) }
        } catch {
            // No attachment refers to the new cart, so the buyer must not stay on it.
            if case .detachAndRepeat = change.onConflict { try? await detachUnsaved(new) }
            throw error
        }
        try await detachAfterConflict(from: new, change.onConflict, locked)
        if case .keep = change.onConflict { return .done(change.result) }
        return .conflict
    }

    /// The attachment, written once more if the use requires it.
    ///
    /// Nil if another process wrote it in the meantime.
    private func prepared(_ id: SessionID, for use: CartUse, under locks: CartLocks) async throws -> StoredCart? {
        let stored = try await attachments.read(id)
        switch use {
        case .plain, .attachmentOnly: return stored
        case .creating, .replacing:
            if let since = stored.pending?.since {
                // Another process is creating a cart. It has already written an attachment, so the store can save one.
                guard !lateCallMayArrive(since: since) else { return stored }
                tell(.interrupted, id)
            } else if stored.binding != nil, use == .creating {
                return stored
            }
        case .exclusive: guard stored.payload != nil else { return stored }
        }
        // Writing the same payload again also tests the store, and gives the attachment a new revision.
        var payload = stored.binding?.payload
        if payload == nil {
            var pending = stored.pending ?? PendingCart()
            pending.since = client.environment.clock.now
            payload = pending.payload
        }
        guard try await LockedCart(id, stored, attachments, under: locks).write(payload) else {
            // Throws if the session has ended.
            _ = try await sessions.session(id)
            return nil
        }
        return try await attachments.read(id)
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
                    "The buyer could not be removed from a cart that another process changed.",
                    hint: "Do not give the cart to another buyer. Detach again first.",
                    cause: error
                )
            }
        }
        if current.payload == nil, case .keep = onConflict { _ = try await sessions.session(locked.session) }
    }

    /// Creates a cart with the lines of one that Shopify no longer has.
    ///
    /// The attachment keeps the lines until the new cart is saved. Lines that Shopify rejects are omitted.
    private func recreate(_ id: SessionID, under locks: CartLocks) async throws {
        guard let stored = try await prepared(id, for: .creating, under: locks), var pending = stored.pending else {
            return
        }
        let locked = LockedCart(id, stored, attachments, under: locks)
        let context = StorefrontContext(buyerIP: pending.buyerIP, country: pending.country)
        var created: CartBinding?
        while created == nil {
            guard !pending.lines.isEmpty else {
                _ = try await locked.write(nil)
                return
            }
            do {
                created = try await createCart(pending.lines, id, context).binding
            } catch let error as IdentityError where error.code == .cartUserErrors && error.kind == .rejected {
                pending.lines.removeAll(at: error.rejectedLines(of: pending.lines.count))
            } catch {
                // This process gives up. Without `since` the next operation tries again at once and does not wait for this process.
                pending.since = nil
                _ = try? await locked.write(pending.payload)
                throw error
            }
        }
        guard let created else { return }
        do {
            if try await locked.write(created.payload) { return tell(.recreated, id) }
        } catch {
            try? await detachUnsaved(created)
            throw error
        }
        try await detachUnsaved(created)
    }

    static var busy: IdentityError {
        IdentityError(
            .retryLater,
            .cartBusy,
            "The operation was given up, because other processes kept changing the session's cart.",
            hint: "Try again."
        )
    }
}
