internal import FoundationEssentials
internal import IdentityKit

/// What an operation on a session's cart came to.
struct CartChange<Result: Sendable>: Sendable {
    enum OnConflict: Sendable {
        /// The operation sets a state: it is done again over what the other process wrote.
        case again
        /// The operation must not be done twice; what the other process wrote stays.
        case keep
        /// The operation made a cart that nobody will find again: the buyer is taken off it, and the operation done again.
        case discardAndAgain
    }

    let result: Result
    let binding: CartBinding?
    let onConflict: OnConflict

    init(_ result: Result, _ binding: CartBinding?, onConflict: OnConflict = .again) {
        self.result = result
        self.binding = binding
        self.onConflict = onConflict
    }
}

/// How an operation uses the session's row.
enum CartRowUse: Sendable {
    /// It is written when the binding has changed.
    case plain
    /// It is written before, so that no cart is made that a store cannot keep.
    case creating
    /// The same where there is a cart that a new one replaces.
    case replacing
    /// It is written before and after, so that of several processes that read, change and write the cart each sees the others.
    case claiming
}

/// A session's row as it was read.
struct CartRow: Sendable {
    var binding: CartBinding?
    /// What the row says instead of a cart.
    var placeholder: CartPlaceholder?
    var payload: Secret?
    var revision: Int64?
}

extension CartAdapter {
    /// How long to wait for another process that reads, changes and writes the same cart.
    private static let lockWait = Duration.seconds(15)

    /// Runs an operation over a session's binding, alone, and saves what it makes of the binding.
    ///
    /// - Parameter locks: Those that the caller holds.
    /// - Throws: `IdentityError`; with code `IdentityError.Code.sessionUnknown` when there is no such session, or its time is over.
    func changing<Result: Sendable>(
        _ id: SessionID,
        _ use: CartRowUse = .plain,
        under locks: CartLocks = CartLocks(),
        _ body: @Sendable (CartBinding?, CartOperation) async throws -> CartChange<Result>
    ) async throws -> Result {
        try await identityErrors {
            let isNested = locks.sessions.contains(id)
            return try await self.holding(id, under: locks) { locks in
                // The row outlives a session whose time is over until the next sweep. Who holds the lock already has looked.
                if !isNested { _ = try await self.sessions.session(id) }
                return try await self.exclusively(id, use) { try await self.repeating(id, use, locks, body) }
            }
        }
    }

    private func repeating<Result: Sendable>(
        _ id: SessionID,
        _ use: CartRowUse,
        _ locks: CartLocks,
        _ body: @Sendable (CartBinding?, CartOperation) async throws -> CartChange<Result>
    ) async throws -> Result {
        var wasLost = false
        for _ in 0..<5 {
            guard let row = try await self.row(of: id, for: use) else { continue }
            if use != .replacing, policy.vanished == .recreate, row.placeholder?.lines.isEmpty == false {
                try await recreate(id)
                continue
            }
            let operation = CartOperation(id, row, under: locks.adding(row.binding?.cartID))
            let change: CartChange<Result>
            do {
                change = try await self.alone(row.binding, under: locks) { try await body(row.binding, operation) }
            } catch is CartVanished {
                wasLost = try await self.giveUp(row, operation) || wasLost
                continue
            } catch is CartRowLost {
                // Says whether the session has ended.
                _ = try await sessions.session(id)
                continue
            } catch let error as IdentityError where wasLost && error.code == .cartMissing {
                throw IdentityError.cartIsGone
            }
            guard let new = change.binding else { return change.result }
            let isChanged = operation.hasAnnounced || !new.payload.isEqual(to: operation.payload)
            if !isChanged, use != .claiming { return change.result }
            do {
                if try await self.save(new.payload, for: id, over: operation.revision) { return change.result }
            } catch {
                // Nobody will find the new cart: the buyer must not be left on it.
                if case .discardAndAgain = change.onConflict { try? await self.discard(new) }
                throw error
            }
            try await self.undo(new, change.onConflict, operation)
            if case .keep = change.onConflict { return change.result }
        }
        throw IdentityError(
            .retryLater,
            .cartBusy,
            "Another process kept changing the session's cart.",
            hint: "Try again."
        )
    }

    /// After a save that lost against another process: leaves no personal data on a cart that is not this session's any more, or of
    /// which the other process wrote that nobody is on it.
    ///
    /// - Throws: When the session has ended, or when the buyer could not be taken off the cart.
    private func undo<Result>(
        _ new: CartBinding,
        _ onConflict: CartChange<Result>.OnConflict,
        _ operation: CartOperation
    ) async throws {
        let id = operation.session
        let row = try await self.row(of: id)
        var isKnown = !operation.hasAnnounced
        if case .discardAndAgain = onConflict { isKnown = false }
        if let binding = row.binding, binding.cartID == new.cartID {
            isKnown = isKnown || !operation.hasSentIdentity || binding.identity != .guest
        }
        if !isKnown {
            do { try await discard(new) } catch {
                throw IdentityError(
                    .retryLater,
                    .detachIncomplete,
                    "The buyer could not be taken off a cart that another process has changed meanwhile.",
                    hint: "Do not give the cart to another visitor.",
                    cause: error
                )
            }
        }
        if row.payload == nil { _ = try await sessions.session(id) }
    }

    /// Keeps other processes out while a cart is read, changed and written, where the store can.
    ///
    /// The row alone cannot do that: who is slow would still write what he read long ago. The lock is not the session's own, under
    /// which tokens are renewed.
    private func exclusively<Result: Sendable>(
        _ id: SessionID,
        _ use: CartRowUse,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        guard use == .claiming, let locking = store as? any SessionLocking else { return try await body() }
        return try await locking.withLock(.attachment(attachmentName, of: id), waitingUpTo: Self.lockWait) { _ in
            try await body()
        }
    }

    /// Carts that two sessions share have one operation at a time, too.
    private func alone<Value: Sendable>(
        _ binding: CartBinding?,
        under locks: CartLocks,
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let binding, !locks.carts.contains(binding.cartID) else { return try await body() }
        return try await cartLine.withLock(binding.cartID) { try await body() }
    }

    /// One operation on a session at a time.
    ///
    /// Locks of sessions are taken before those of carts, and a merge takes the guest's before the buyer's, so that no two tasks wait
    /// for each other.
    func holding<Value: Sendable>(
        _ id: SessionID,
        under locks: CartLocks,
        _ body: @Sendable (CartLocks) async throws -> Value
    ) async throws -> Value {
        guard !locks.sessions.contains(id) else { return try await body(locks) }
        return try await line.withLock(id) { try await body(locks.adding(id)) }
    }

    /// Saves in a task of its own: a caller who leaves now must not leave a cart behind that nobody can detach.
    func save(_ payload: Secret?, for id: SessionID, over revision: Int64?) async throws -> Bool {
        let (store, name) = (store, attachmentName)
        return try await Task {
            try await store.setAttachment(name, to: payload, of: id, expecting: revision)
        }.value
    }

    func tell(_ kind: CartEvent.Kind, _ id: SessionID) {
        policy.onEvent?(CartEvent(kind, session: id))
    }

    /// Whatever goes wrong leaves the adapter as an `IdentityError`, under one correlation id.
    func identityErrors<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        try await Correlation.scope {
            do { return try await body() } catch is CartVanished { throw IdentityError.cartIsGone } catch {
                throw IdentityError.wrapping(error)
            }
        }
    }
}
