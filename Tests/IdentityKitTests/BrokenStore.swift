import FoundationEssentials
import IdentityKit
import IdentityTesting
import Synchronization
import Testing

final class BrokenStore: WrappingStore, UsedTokenStore, ExpirySweeping {
    struct Untyped: Error {}

    private struct State {
        var firstRetention: [SessionID: Date] = [:]
        var removed: [SessionID: RemovedSession] = [:]
        var left: [SessionID: [String: SessionAttachment]] = [:]
        var taken: [String: StoredLoginAttempt] = [:]
        var restored: Set<SessionID> = []
        var stuckLocks: Set<LockName> = []
        /// The locks whose holders were cancelled.
        var cancelled: Set<LockName> = []
        var damaged: Set<Attached> = []
        /// The wrong sessions with which attachments are listed.
        var listed: [Attached: SessionID] = [:]
    }

    private struct Attached: Hashable {
        let name: String
        let id: SessionID
    }

    let defect: Defect
    let inner: InMemoryStore
    private let locks = InMemoryLocks()
    private let state = Mutex(State())

    init(_ defect: Defect, _ options: StoreUnderTest.Options) {
        self.defect = defect
        inner = InMemoryStore(options)
    }

    /// Damages the attachment that a case of the suite names; false for a session.
    func damage(_ damage: StoreUnderTest.Damage) -> Bool {
        state.withLock { state in
            switch damage {
            case .session: return false
            case .attachment(let name, let id): state.damaged.insert(Attached(name: name, id: id))
            case .attachmentOwner(let name, let id, let other): state.listed[Attached(name: name, id: id)] = other
            }
            return true
        }
    }

    private static var damaged: IdentityError { IdentityError(.configuration, .storeCorrupt, "Damaged.") }

    private func kept(_ session: StoredSession) -> StoredSession {
        var session = session
        if defect == .forgetsDoubt { session.isInDoubt = false }
        if defect == .roundsTimes {
            session.createdAt = Date(
                timeIntervalSinceReferenceDate: (session.createdAt.timeIntervalSinceReferenceDate * 1000).rounded()
                    / 1000
            )
        }
        if defect == .cutsAtNUL {
            session.payload = Secret(bytes: Array(session.payload.revealBytes().prefix { $0 != 0 }))
        }
        if session.isRestored { state.withLock { _ = $0.restored.insert(session.id) } }
        return session
    }

    func insert(_ session: StoredSession) async throws {
        state.withLock { $0.firstRetention[session.id] = session.retainedUntil }
        if defect == .insertsOver, let old = try await inner.session(session.id) {
            _ = try await inner.replace(session, expecting: old.generation)
            return
        }
        do {
            if defect == .countsAll, try await !inner.sessions(matching: SessionFilter()).isEmpty {
                throw IdentityError(.retryLater, .storeFull, "Full.")
            }
            try await inner.insert(kept(session))
        } catch {
            switch defect {
            case .throwsUntyped: throw Untyped()
            case .saysSignIn: throw IdentityError(.signInAgain, .storeFailed, "Taken.")
            default: throw error
            }
        }
    }

    func session(_ id: SessionID) async throws -> StoredSession? {
        var found = try await inner.session(id)
        if defect == .keepsRestored, state.withLock({ $0.restored.contains(id) }) { found?.isRestored = true }
        return found
    }

    func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool {
        if defect == .refusesChanges { return false }
        var generation = generation
        let found = try await inner.session(session.id)
        if defect == .replacesWithoutComparing { generation = found?.generation ?? generation }
        if defect == .comparesInDoubles, let found, Double(found.generation) == Double(generation) {
            generation = found.generation
        }
        if defect == .revives, found == nil {
            try await inner.insert(session)
            return true
        }
        return try await inner.replace(kept(session), expecting: generation)
    }

    func remove(_ id: SessionID) async throws -> RemovedSession? {
        let (damaged, listed) = state.withLock { ($0.damaged, $0.listed) }
        if defect == .keepsLoggedIn, damaged.contains(where: { $0.id == id }) { throw Self.damaged }
        var foreign: [String: Secret] = [:]
        if defect == .trustsOwner {
            for (attached, owner) in listed where owner == id {
                foreign[attached.name] = try await inner.attachment(attached.name, of: attached.id)?.payload
            }
        }
        guard var removed = try await inner.remove(id) else {
            return defect == .removesTwice ? state.withLock { $0.removed[id] } : nil
        }
        if defect == .keepsAttachments {
            let left = removed.attachments.mapValues { SessionAttachment(payload: $0, revision: 1) }
            state.withLock { $0.left[id, default: [:]].merge(left) { $1 } }
        }
        let lost = damaged.union(listed.keys).filter { $0.id == id }
        for attached in lost { removed.attachments[attached.name] = nil }
        removed.attachments.merge(foreign) { $1 }
        if defect == .forgetsAttachments { removed.attachments = [:] }
        state.withLock { [removed] state in
            state.removed[id] = removed
            state.damaged = state.damaged.filter { $0.id != id }
        }
        return removed
    }

    func sessions(matching filter: SessionFilter) async throws -> [StoredSession] {
        var filter = filter
        let asked = filter
        if defect == .ignoresDoubt { filter.isInDoubt = nil }
        if defect == .forgetsTenants, filter.buyer != nil || filter.providerSessionID != nil { filter.tenant = nil }
        if defect == .comparesAsText || defect == .joinsBuyers { filter = SessionFilter() }
        var found = try await inner.sessions(matching: filter)
        if defect == .comparesAsText {
            found = found.filter { session in
                asked.provider.map { $0 == session.provider } ?? true
                    && asked.tenant.map { $0 == session.tenant } ?? true
                    && asked.buyer.map { $0.issuer == session.issuer && $0.subject == session.subject } ?? true
            }
        }
        if defect == .joinsBuyers, let buyer = asked.buyer {
            found = found.filter { $0.issuer + $0.subject == buyer.issuer + buyer.subject }
        }
        if defect == .listsAnyhow { found.sort { $0.id.rawValue < $1.id.rawValue } }
        return defect == .listsSome ? Array(found.prefix(100)) : found
    }

    func insert(_ attempt: StoredLoginAttempt) async throws {
        var attempt = attempt
        if defect == .evictsOthers { attempt.tenant = "" }
        if defect == .evictsFirst {
            try await inner.insert(
                StoredLoginAttempt(key: "room", tenant: attempt.tenant, expiresAt: .distantFuture, payload: Secret(""))
            )
            _ = try await inner.takeLoginAttempt("room")
        }
        try await inner.insert(attempt)
    }

    func takeLoginAttempt(
        _ key: String,
        after check: @escaping @Sendable (StoredLoginAttempt) throws -> Void
    ) async throws -> StoredLoginAttempt? {
        let found = try await inner.takeLoginAttempt(key) { [defect] in if defect != .takesUnchecked { try check($0) } }
        if let found { try check(found) }
        guard defect == .takesTwice else { return found }
        return state.withLock { state in
            if let found { state.taken[key] = found }
            return state.taken[key]
        }
    }

    func isUsed(_ key: String) async throws -> Bool { try await inner.isUsed(key) }

    func markUsed(_ key: String, until expiry: Date) async throws -> Bool {
        try await inner.markUsed(key, until: expiry) || defect == .marksTwice
    }

    func attachment(_ name: String, of id: SessionID) async throws -> SessionAttachment? {
        if state.withLock({ $0.damaged.contains(Attached(name: name, id: id)) }) { throw Self.damaged }
        let found = try await inner.attachment(name, of: id)
        if defect == .restartsRevisions { return found.map { SessionAttachment(payload: $0.payload, revision: 1) } }
        return found ?? state.withLock { $0.left[id]?[name] }
    }

    func setAttachment(
        _ name: String,
        to payload: Secret?,
        of id: SessionID,
        expecting revision: Int64?
    ) async throws -> Bool {
        if defect == .refusesChanges, revision != nil { return false }
        let known = try await inner.attachment(name, of: id)?.revision
        var revision = revision
        if defect == .comparesNoRevision || (defect == .restartsRevisions && revision == 1) { revision = known }
        return try await inner.setAttachment(name, to: payload, of: id, expecting: revision)
    }

    func sweep(expiredBefore date: Date) async throws -> Int {
        var date = date
        if defect == .sweepsExact {
            date = Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.nextUp)
        }
        var stale = 0
        if defect == .sweepsRefreshed {
            for (id, end) in state.withLock({ $0.firstRetention }) where end < date {
                if try await inner.remove(id) != nil { stale += 1 }
            }
        }
        return try await inner.sweep(expiredBefore: date) + stale
    }

    func withLock<Result: Sendable>(
        _ name: LockName,
        waitingUpTo limit: Duration,
        _ body: @Sendable (HeldLock) async throws -> Result
    ) async throws -> Result {
        if defect == .locksNothing { return try await body(.untilProcessEnds) }
        switch (defect, name) {
        case (.locksOnlySessions, .attachment), (.locksOnlySessions, .object): return try await body(.untilProcessEnds)
        case (.sharesLocks, .attachment(_, let id)):
            return try await locks.withLock(.session(id), waitingUpTo: limit, body)
        default: break
        }
        if defect == .releasesCancelled {
            if state.withLock({ $0.cancelled.contains(name) }) { return try await body(.untilProcessEnds) }
            return try await withTaskCancellationHandler {
                try await locks.withLock(name, waitingUpTo: limit, body)
            } onCancel: {
                state.withLock { _ = $0.cancelled.insert(name) }
            }
        }
        guard defect == .keepsLock else { return try await locks.withLock(name, waitingUpTo: limit, body) }
        let isStuck = state.withLock { $0.stuckLocks.contains(name) }
        if isStuck { throw IdentityError(.retryLater, .refreshBusy, "Busy.") }
        do {
            return try await locks.withLock(name, waitingUpTo: limit, body)
        } catch {
            state.withLock { _ = $0.stuckLocks.insert(name) }
            throw error
        }
    }
}
