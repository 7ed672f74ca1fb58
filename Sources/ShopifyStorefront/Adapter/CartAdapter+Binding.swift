internal import FoundationEssentials
internal import IdentityCrypto
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
    /// Whether the operation put the buyer on the cart, though perhaps nothing about that is new.
    let sentIdentity: Bool

    init(
        _ result: Result,
        _ binding: CartBinding?,
        onConflict: OnConflict = .again,
        sentIdentity: Bool = false
    ) {
        self.result = result
        self.binding = binding
        self.onConflict = onConflict
        self.sentIdentity = sentIdentity
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
    /// Nil too for a cart of another shop, which is replaced.
    var binding: CartBinding?
    var payload: Secret?
    var revision: Int64?
    /// Since when a cart is being made.
    var pendingSince: Date?
}

extension CartAdapter {
    /// The carts that the current task works on: a merge comes to one of them twice.
    @TaskLocal private static var heldCarts: Set<CartID> = []

    /// The sessions that the current task works on: a merge works on two.
    @TaskLocal private static var heldSessions: Set<SessionID> = []

    /// How long a cart may be in the making before its process counts as dead.
    private static let lockWait = Duration.seconds(15)
    static let patience = Duration.seconds(60)

    /// Runs an operation over a session's binding, alone, and saves what it makes of the binding.
    func changing<Result: Sendable>(
        _ id: SessionID,
        _ use: CartRowUse = .plain,
        _ body: @Sendable (CartBinding?) async throws -> CartChange<Result>
    ) async throws -> Result {
        try await identityErrors {
            try await self.holding(id) {
                try await self.exclusively(id, use) { try await self.repeating(id, use, body) }
            }
        }
    }

    private func repeating<Result: Sendable>(
        _ id: SessionID,
        _ use: CartRowUse,
        _ body: @Sendable (CartBinding?) async throws -> CartChange<Result>
    ) async throws -> Result {
        var wasLost = false
        for _ in 0..<4 {
            guard let row = try await self.row(of: id, for: use) else { continue }
            let change: CartChange<Result>
            do {
                change = try await self.alone(row.binding) { try await body(row.binding) }
            } catch is CartVanished {
                wasLost = try await self.giveUp(row, of: id) || wasLost
                continue
            } catch let error as IdentityError where wasLost && error.code == .cartMissing {
                throw IdentityError.cartIsGone
            }
            guard let new = change.binding else { return change.result }
            let isChanged = !new.payload.isEqual(to: row.binding?.payload)
            if !isChanged, use != .claiming {
                // What was put on the cart is the same; a logout that took it off meanwhile must not be undone by it.
                if change.sentIdentity, new.identity != .guest { try await checkAlive(id, or: new) }
                return change.result
            }
            do {
                if try await self.save(new.payload, for: id, over: row.revision) { return change.result }
            } catch {
                // Nobody will find the new cart: the buyer must not be left on it.
                if case .discardAndAgain = change.onConflict { await self.discard(new) }
                throw error
            }
            try await self.checkAlive(id, or: new)
            switch change.onConflict {
            case .again: continue
            case .keep: return change.result
            case .discardAndAgain: await self.discard(new)
            }
        }
        throw IdentityError(
            .retryLater,
            .cartBusy,
            "Another process kept changing the session's cart.",
            hint: "Try again."
        )
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
        guard use == .claiming, let locking = store as? any SessionLocking,
            let digest = try? Digest.sha256(Array("cart \(id.rawValue)".utf8)),
            let name = SessionID(rawValue: Base64URL.encode(Array(digest.prefix(16))))
        else { return try await body() }
        return try await locking.withSessionLock(name, waitingUpTo: Self.lockWait) { _ in try await body() }
    }

    /// Carts that two sessions share have one operation at a time, too.
    private func alone<Value: Sendable>(
        _ binding: CartBinding?,
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let binding, !Self.heldCarts.contains(binding.cartID) else { return try await body() }
        return try await cartLine.withLock(binding.cartID) {
            try await Self.$heldCarts.withValue(Self.heldCarts.union([binding.cartID]), operation: body)
        }
    }

    /// One operation on a session at a time.
    ///
    /// Lines of sessions are taken before those of carts, and a merge takes the guest's before the buyer's, so that nobody waits for each
    /// other.
    func holding<Value: Sendable>(
        _ id: SessionID,
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        guard !Self.heldSessions.contains(id) else { return try await body() }
        return try await line.withLock(id) {
            try await Self.$heldSessions.withValue(Self.heldSessions.union([id]), operation: body)
        }
    }

    func row(of id: SessionID) async throws -> CartRow {
        guard let attachment = try await store.attachment(Self.attachmentName, of: id) else { return CartRow() }
        var row = CartRow(payload: attachment.payload, revision: attachment.revision)
        row.pendingSince = CartBinding.pendingSince(attachment.payload)
        if row.pendingSince == nil {
            let binding = try CartBinding(attachment.payload)
            if isOurs(binding) { row.binding = binding }
        }
        return row
    }

    /// The row, written once more where the use wants that; nil when somebody else wrote it meanwhile.
    private func row(of id: SessionID, for use: CartRowUse) async throws -> CartRow? {
        let row = try await row(of: id)
        let now = client.environment.clock.now
        switch use {
        case .plain: return row
        case .creating, .replacing:
            if let since = row.pendingSince {
                // Another process is at it: its row proves the store, and who comes second gives way.
                guard now.timeIntervalSince(since) > Self.patience.timeInterval else { return row }
                tell(.interrupted, id)
            } else if row.binding != nil, use == .creating {
                return row
            }
        case .claiming: guard row.payload != nil else { return row }
        }
        // A payload written over itself proves the store too, and gets a revision of its own.
        let payload = row.binding?.payload ?? CartBinding.pending(since: now)
        guard try await save(payload, for: id, over: row.revision) else {
            // Says whether the session has ended.
            _ = try await sessions.session(id)
            return nil
        }
        return try await self.row(of: id)
    }

    /// Lets a cart go that Shopify no longer has.
    ///
    /// - Returns: Whether it was this session's still.
    private func giveUp(_ row: CartRow, of id: SessionID) async throws -> Bool {
        guard let lost = row.binding else { throw IdentityError.cartIsGone }
        guard try await save(nil, for: id, over: row.revision) else { return false }
        known.forget(lost.cartID)
        tell(.lost, id)
        guard policy.vanished == .recreate, let lines = lost.lines, !lines.isEmpty,
            let empty = try await self.row(of: id, for: .creating), empty.binding == nil
        else { return true }
        var context = lost.lastContext
        context.country = lost.country
        let made = try await begin(lines, id, context)
        guard let binding = made.binding else { return true }
        if try await save(binding.payload, for: id, over: empty.revision) {
            tell(.recreated, id)
        } else {
            await discard(binding)
        }
        return true
    }

    /// Saves in a task of its own: a caller who leaves now must not leave a cart behind that nobody can detach.
    func save(_ payload: Secret?, for id: SessionID, over revision: Int64?) async throws -> Bool {
        let store = store
        return try await Task {
            try await store.setAttachment(Self.attachmentName, to: payload, of: id, expecting: revision)
        }.value
    }

    /// A session that ended meanwhile must not leave its buyer on a cart that its logout knew nothing of.
    private func checkAlive(_ id: SessionID, or binding: CartBinding) async throws {
        do {
            _ = try await sessions.session(id)
        } catch let error as IdentityError where error.code == .sessionUnknown {
            await discard(binding)
            throw error
        }
    }

    /// Takes the buyer off a cart that is given up; nobody is left to tell if that fails.
    func discard(_ binding: CartBinding) async {
        guard binding.identity != .guest else { return }
        _ = await Task { [self] in
            var binding = binding
            _ = try await withdraw(&binding, in: binding.lastContext)
        }.result
    }

    func tell(_ kind: CartEvent.Kind, _ id: SessionID) {
        // What a listener starts holds nothing.
        Self.$heldSessions.withValue([]) {
            Self.$heldCarts.withValue([]) { policy.onEvent?(CartEvent(kind, session: id)) }
        }
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

extension Secret {
    fileprivate func isEqual(to other: Secret?) -> Bool {
        other.map { isEqual(to: $0) } ?? false
    }
}
