internal import FoundationEssentials
internal import IdentityKit

// The session's stored row: how it is read, what it says before personal data are sent, and what it keeps of a cart that is gone.

extension CartAdapter {
    func row(of id: SessionID) async throws -> CartRow {
        guard let attachment = try await store.attachment(attachmentName, of: id) else { return CartRow() }
        var row = CartRow(payload: attachment.payload, revision: attachment.revision)
        row.placeholder = CartPlaceholder(attachment.payload)
        if row.placeholder == nil { row.binding = try CartBinding(attachment.payload) }
        return row
    }

    /// The row, written once more where the use wants that; nil when somebody else wrote it meanwhile.
    func row(of id: SessionID, for use: CartRowUse) async throws -> CartRow? {
        let row = try await row(of: id)
        switch use {
        case .plain: return row
        case .creating, .replacing:
            if let since = row.placeholder?.pendingSince {
                // Another process is at it: its row proves the store, and who comes second gives way.
                guard !isFresh(since) else { return row }
                tell(.interrupted, id)
            } else if row.binding != nil, use == .creating {
                return row
            }
        case .claiming: guard row.payload != nil else { return row }
        }
        // A payload written over itself proves the store too, and gets a revision of its own.
        let payload: Secret
        if let binding = row.binding {
            payload = binding.payload
        } else {
            var placeholder = row.placeholder ?? CartPlaceholder()
            placeholder.pendingSince = client.environment.clock.now
            payload = placeholder.payload
        }
        guard try await save(payload, for: id, over: row.revision) else {
            // Says whether the session has ended.
            _ = try await sessions.session(id)
            return nil
        }
        return try await self.row(of: id)
    }

    /// Writes down that personal data are about to be sent to the cart.
    ///
    /// From then on a lost answer, or the end of this process, leaves nobody on a cart without a stored row that says so, and no process
    /// hands the cart to another visitor while the data may still arrive.
    ///
    /// - Throws: ``CartRowLost`` when another process changed the row; nothing was sent then.
    func announce(_ binding: inout CartBinding, _ operation: CartOperation, sendsIdentity: Bool) async throws {
        let before = binding.unanswered
        binding.unanswered = CartBinding.Unanswered(
            since: client.environment.clock.now,
            isIdentity: sendsIdentity || before?.isIdentity == true
        )
        let payload = binding.payload
        guard try await save(payload, for: operation.session, over: operation.revision),
            let written = try await store.attachment(attachmentName, of: operation.session),
            written.payload.isEqual(to: payload)
        else {
            binding.unanswered = before
            throw CartRowLost()
        }
        operation.announced(written, sendsIdentity: sendsIdentity)
    }

    /// What an earlier announcement still counts for, after a later one was answered.
    func outstanding(_ earlier: CartBinding.Unanswered?) -> CartBinding.Unanswered? {
        earlier.flatMap { isFresh($0.since) ? $0 : nil }
    }

    /// Lets a cart go that Shopify no longer has; with the policy `recreate` the row keeps its lines for a new one.
    ///
    /// - Returns: Whether it was this session's still.
    func giveUp(_ row: CartRow, _ operation: CartOperation) async throws -> Bool {
        guard let lost = row.binding else { throw IdentityError.cartIsGone }
        let placeholder = policy.vanished == .recreate ? CartPlaceholder(lost: lost) : nil
        guard try await save(placeholder?.payload, for: operation.session, over: operation.revision) else {
            return false
        }
        known.forget(lost.cartID)
        tell(.lost, operation.session)
        return true
    }

    /// Makes a cart with the lines of one that is gone.
    ///
    /// The row keeps the lines until the new cart is written down. Lines that Shopify refuses are left out.
    func recreate(_ id: SessionID) async throws {
        guard let row = try await row(of: id, for: .creating), var placeholder = row.placeholder, row.binding == nil
        else {
            return
        }
        let context = StorefrontContext(buyerIP: placeholder.buyerIP, country: placeholder.country)
        var made: CartBinding?
        while made == nil {
            guard !placeholder.lines.isEmpty else {
                _ = try await save(nil, for: id, over: row.revision)
                return
            }
            do {
                made = try await begin(placeholder.lines, id, context).binding
            } catch let error as IdentityError where error.code == .cartUserErrors && error.kind == .rejected {
                placeholder.lines.removeAll(at: error.refusedLines(of: placeholder.lines.count))
            } catch {
                // Nobody is at it any more: the next operation tries again at once.
                placeholder.pendingSince = nil
                _ = try? await save(placeholder.payload, for: id, over: row.revision)
                throw error
            }
        }
        guard let made else { return }
        do {
            if try await save(made.payload, for: id, over: row.revision) { return tell(.recreated, id) }
        } catch {
            try? await discard(made)
            throw error
        }
        try await discard(made)
    }
}

extension IdentityError {
    /// The indices of the lines that Shopify's user errors name, all of them where they name none.
    ///
    /// A field is for example `["lines", "3", "merchandiseId"]` or `["input", "lines", "3", "quantity"]`.
    func refusedLines(of count: Int) -> Set<Int> {
        let errors = (cause as? CartUserErrors)?.errors ?? []
        let named = Set(errors.compactMap(\.line)).filter { (0..<count).contains($0) }
        return named.isEmpty ? Set(0..<count) : named
    }
}

extension CartUserError {
    /// The index of the line that the error is about.
    var line: Int? {
        field.firstIndex(of: "lines").flatMap { field.dropFirst($0 + 1).first }.flatMap { Int($0) }
    }
}

extension Array {
    mutating func removeAll(at indices: Set<Int>) {
        self = enumerated().filter { !indices.contains($0.offset) }.map(\.element)
    }
}

extension Secret {
    func isEqual(to other: Secret?) -> Bool {
        other.map { isEqual(to: $0) } ?? false
    }
}
