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

extension CartAdapter {
    /// Runs an operation over a session's binding, alone, and saves what it makes of the binding.
    func changing<Result: Sendable>(
        _ id: SessionID,
        _ body: @Sendable (CartBinding?) async throws -> CartChange<Result>
    ) async throws -> Result {
        try await identityErrors {
            try await self.line.withLock(id) {
                for _ in 0..<3 {
                    let (old, revision) = try await self.binding(of: id)
                    let change: CartChange<Result>
                    do {
                        change = try await body(old)
                    } catch is CartVanished {
                        let isGone = revision == nil ? true : try await self.save(nil, for: id, over: revision)
                        if isGone { throw IdentityError.cartIsGone }
                        continue
                    }
                    guard let new = change.binding, new.payload.isEqual(to: old?.payload) == false else {
                        return change.result
                    }
                    if try await self.save(new, for: id, over: revision) { return change.result }
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
        }
    }

    /// The binding of a session with its revision; a cart of another shop counts as none, and is replaced.
    func binding(of id: SessionID) async throws -> (binding: CartBinding?, revision: Int64?) {
        guard let attachment = try await store.attachment(Self.attachmentName, of: id) else { return (nil, nil) }
        let binding = try CartBinding(attachment.payload)
        return (isOurs(binding) ? binding : nil, attachment.revision)
    }

    /// Saves in a task of its own: a caller who leaves now must not leave a cart behind that nobody can detach.
    private func save(_ binding: CartBinding?, for id: SessionID, over revision: Int64?) async throws -> Bool {
        let store = store
        return try await Task {
            try await store.setAttachment(Self.attachmentName, to: binding?.payload, of: id, expecting: revision)
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
    private func discard(_ binding: CartBinding) async {
        _ = await Task { [self] in
            var binding = binding
            _ = try await withdraw(&binding, in: binding.lastContext)
        }.result
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
