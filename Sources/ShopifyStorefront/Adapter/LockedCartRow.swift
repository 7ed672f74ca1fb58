internal import IdentityKit
internal import ShopifyGraphQL
internal import Synchronization

/// A session's row while its locks are held.
///
/// ``CartAdapter/withLockedRow(_:_:under:_:)`` creates it for one operation, and only this type writes rows. While an operation holds it,
/// no other task of this process works on the session or on its cart. Another process can still write the row, unless the use is
/// ``CartRowUse/exclusive``. So each write names the revision that it replaces, and fails when the row has another one.
final class LockedCartRow: Sendable {
    private struct State {
        var payload: Secret?
        var revision: Int64?
        var hasAnnounced = false
        var hasSentIdentity = false
    }

    /// The session of the cart.
    let session: SessionID
    /// The session's cart as it was read; nil when it has none.
    let binding: CartBinding?
    /// The content of a row without a cart.
    let pending: PendingCart?
    /// The locks that the operation holds, for operations inside it.
    let locks: CartLocks
    private let rows: CartRows
    private let state: Mutex<State>

    fileprivate init(_ session: SessionID, _ row: StoredCartRow, _ rows: CartRows, under locks: CartLocks) {
        self.session = session
        binding = row.binding
        pending = row.pending
        self.locks = locks
        self.rows = rows
        state = Mutex(State(payload: row.payload, revision: row.revision))
    }

    /// Whether personal data may have been sent since the row was read.
    var hasAnnounced: Bool { state.withLock { $0.hasAnnounced } }
    /// Whether the buyer's identity may be among these data.
    var hasSentIdentity: Bool { state.withLock { $0.hasSentIdentity } }

    /// Whether a binding equals the content of the row.
    func isSaved(_ binding: CartBinding) -> Bool {
        let payload = state.withLock { $0.payload }
        return payload.map { binding.payload.isEqual(to: $0) } ?? false
    }

    /// Writes the row, or removes it.
    ///
    /// It runs in a separate task, because a cancellation of the caller must not leave an unknown cart from which the
    /// buyer cannot be removed.
    ///
    /// - Returns: Whether the row was written. False means that another process has changed it.
    func write(_ payload: Secret?) async throws -> Bool {
        let (rows, session, revision) = (rows, session, state.withLock { $0.revision })
        return try await Task {
            try await rows.store.setAttachment(rows.name, to: payload, of: session, expecting: revision)
        }.value
    }

    /// Writes to the row that personal data are about to be sent to the cart.
    ///
    /// If the response is lost or this process ends, the row still says that the buyer may be on the cart. And no process hands the
    /// cart to another buyer while the data may still arrive.
    ///
    /// - Throws: ``CartRowConflict`` when another process changed the row. Nothing was sent then.
    func announce(_ binding: inout CartBinding, sendsIdentity: Bool) async throws {
        let before = binding.unanswered
        binding.unanswered = CartBinding.Unanswered(
            since: rows.clock.now,
            isIdentity: sendsIdentity || before?.isIdentity == true
        )
        let payload = binding.payload
        guard try await write(payload), let written = try await rows.store.attachment(rows.name, of: session),
            written.payload.isEqual(to: payload)
        else {
            binding.unanswered = before
            throw CartRowConflict()
        }
        state.withLock { state in
            state.payload = written.payload
            state.revision = written.revision
            state.hasAnnounced = true
            state.hasSentIdentity = state.hasSentIdentity || sendsIdentity
        }
    }
}

/// The outcome of an attempt of an operation.
private enum CartAttempt<Result: Sendable>: Sendable {
    case done(Result)
    /// Shopify no longer has the cart; the value says whether the session still had it.
    case lost(Bool)
    /// Another process changed the row.
    case conflict
}

extension CartAdapter {
    /// The maximum wait for the store's lock while another process changes the same cart.
    private static let lockTimeout = Duration.seconds(15)
    /// The maximum number of attempts while other processes change the row.
    private static let attempts = 5

    /// Runs an operation on a session's cart under its locks, and saves the outcome.
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - use: How the operation uses the row.
    ///   - locks: The locks that the caller holds.
    ///   - body: The operation.
    /// - Returns: The result of the operation.
    /// - Throws: `IdentityError`; with code `IdentityError.Code.sessionUnknown` when there is no such session, or it has expired.
    func withLockedRow<Result: Sendable>(
        _ id: SessionID,
        _ use: CartRowUse = .plain,
        under locks: CartLocks? = nil,
        _ body: @Sendable (LockedCartRow) async throws -> CartChange<Result>
    ) async throws -> Result {
        try await identityErrors {
            let outer = locks ?? self.locks
            return try await outer.with(.session(id)) { locks in
                // The row of an expired session stays until the next sweep. A caller that holds the lock has checked the session.
                if !outer.holds(.session(id)) { _ = try await self.sessions.session(id) }
                guard use == .exclusive, let locking = self.rows.store as? any SessionLocking else {
                    return try await self.attempt(id, use, locks, body)
                }
                let name = LockName.attachment(self.rows.name, of: id)
                return try await locking.withLock(name, waitingUpTo: Self.lockTimeout) { _ in
                    try await self.attempt(id, use, locks, body)
                }
            }
        }
    }

    private func attempt<Result: Sendable>(
        _ id: SessionID,
        _ use: CartRowUse,
        _ locks: CartLocks,
        _ body: @Sendable (LockedCartRow) async throws -> CartChange<Result>
    ) async throws -> Result {
        var wasLost = false
        for _ in 0..<Self.attempts {
            guard let stored = try await prepared(id, for: use, under: locks) else { continue }
            if use == .plain || use == .creating || use == .exclusive, policy.vanished == .recreate,
                stored.pending?.lines.isEmpty == false
            {
                try await recreate(id, under: locks)
                continue
            }
            let attempt = try await locks.with(stored.binding.map { .cart($0.cartID) }) { locks in
                let row = LockedCartRow(id, stored, self.rows, under: locks)
                do {
                    return try await self.saved(try await body(row), row, use)
                } catch is CartVanished {
                    return CartAttempt<Result>.lost(try await self.giveUp(row))
                } catch is CartRowConflict {
                    return .conflict
                } catch let error as IdentityError where wasLost && error.code == .cartMissing {
                    throw IdentityError.cartIsGone
                }
            }
            switch attempt {
            case .done(let result): return result
            case .lost(let wasOurs): wasLost = wasOurs || wasLost
            case .conflict:
                // Throws if the session has ended. An operation that needs only the row checks that itself.
                if use != .rowOnly { _ = try await sessions.session(id) }
            }
        }
        throw Self.busy
    }

    /// Saves the outcome of an operation to the row.
    private func saved<Result>(
        _ change: CartChange<Result>,
        _ row: LockedCartRow,
        _ use: CartRowUse
    ) async throws -> CartAttempt<Result> {
        guard let new = change.binding else { return .done(change.result) }
        if !row.hasAnnounced, use != .exclusive, row.isSaved(new) { return .done(change.result) }
        do {
            if try await row.write(new.payload) { return .done(change.result) }
        } catch {
            // No row refers to the new cart, so the buyer must not stay on it.
            if case .discardAndRepeat = change.onConflict { try? await discard(new) }
            throw error
        }
        try await removeBuyer(from: new, change.onConflict, row)
        if case .keep = change.onConflict { return .done(change.result) }
        return .conflict
    }

    /// The row, written once more if the use requires it.
    ///
    /// Nil if another process wrote it meanwhile.
    private func prepared(_ id: SessionID, for use: CartRowUse, under locks: CartLocks) async throws -> StoredCartRow? {
        let stored = try await rows.read(id)
        switch use {
        case .plain, .rowOnly: return stored
        case .creating, .replacing:
            if let since = stored.pending?.since {
                // Another process is creating a cart. Its row has tested the store.
                guard !lateCallMayArrive(since: since) else { return stored }
                tell(.interrupted, id)
            } else if stored.binding != nil, use == .creating {
                return stored
            }
        case .exclusive: guard stored.payload != nil else { return stored }
        }
        // Writing the same payload again also tests the store, and gives the row a new revision.
        var payload = stored.binding?.payload
        if payload == nil {
            var pending = stored.pending ?? PendingCart()
            pending.since = client.environment.clock.now
            payload = pending.payload
        }
        guard try await LockedCartRow(id, stored, rows, under: locks).write(payload) else {
            // Throws if the session has ended.
            _ = try await sessions.session(id)
            return nil
        }
        return try await rows.read(id)
    }

    /// After a change by another process: removes the buyer from a cart that the session no longer has, or whose new row
    /// says guest.
    ///
    /// - Throws: An error if the session has ended or the buyer could not be removed.
    private func removeBuyer<Result>(
        from new: CartBinding,
        _ onConflict: CartChange<Result>.OnConflict,
        _ row: LockedCartRow
    ) async throws {
        let current = try await rows.read(row.session)
        var isKnown = !row.hasAnnounced
        if case .discardAndRepeat = onConflict { isKnown = false }
        if let binding = current.binding, binding.cartID == new.cartID {
            isKnown = isKnown || !row.hasSentIdentity || binding.identity != .guest
        }
        if !isKnown {
            do { try await discard(new) } catch {
                throw IdentityError(
                    .retryLater,
                    .detachIncomplete,
                    "The buyer could not be removed from a cart that another process changed.",
                    hint: "Do not give the cart to another buyer. Detach again first.",
                    cause: error
                )
            }
        }
        if current.payload == nil, case .keep = onConflict { _ = try await sessions.session(row.session) }
    }

    /// Creates a cart with the lines of one that Shopify no longer has.
    ///
    /// The row keeps the lines until the new cart is saved. Lines that Shopify rejects are omitted.
    private func recreate(_ id: SessionID, under locks: CartLocks) async throws {
        guard let stored = try await prepared(id, for: .creating, under: locks), var pending = stored.pending else {
            return
        }
        let row = LockedCartRow(id, stored, rows, under: locks)
        let context = StorefrontContext(buyerIP: pending.buyerIP, country: pending.country)
        var created: CartBinding?
        while created == nil {
            guard !pending.lines.isEmpty else {
                _ = try await row.write(nil)
                return
            }
            do {
                created = try await createCart(pending.lines, id, context).binding
            } catch let error as IdentityError where error.code == .cartUserErrors && error.kind == .rejected {
                pending.lines.removeAll(at: error.rejectedLines(of: pending.lines.count))
            } catch {
                // No process creates it any longer, so the next operation tries again at once.
                pending.since = nil
                _ = try? await row.write(pending.payload)
                throw error
            }
        }
        guard let created else { return }
        do {
            if try await row.write(created.payload) { return tell(.recreated, id) }
        } catch {
            try? await discard(created)
            throw error
        }
        try await discard(created)
    }

    static var busy: IdentityError {
        IdentityError(
            .retryLater,
            .cartBusy,
            "Another process kept changing the session's cart.",
            hint: "Try again."
        )
    }
}
