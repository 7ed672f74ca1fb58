import FoundationEssentials
import IdentityKit
import IdentityTesting
import Synchronization

/// A store whose reads of sessions fail while it is broken, and that cannot decrypt a damaged session.
final class BreakableStore: WrappingStore, SessionReplacing {
    let inner: InMemoryStore
    private let broken = Mutex(false)
    private let damaged = Mutex<SessionID?>(nil)
    private let damagedAttachments = Mutex<SessionID?>(nil)

    init(maximumSessionsPerTenant: Int?) {
        inner = InMemoryStore(maximumSessionsPerTenant: maximumSessionsPerTenant)
    }

    func insertReplacement(_ session: StoredSession) async throws { try await inner.insertReplacement(session) }

    /// Makes the record of a session unreadable.
    func damage(_ id: SessionID) { damaged.withLock { $0 = id } }
    /// Makes the attachments of a session unreadable.
    func damageAttachments(of id: SessionID) { damagedAttachments.withLock { $0 = id } }

    var isBroken: Bool {
        get { broken.withLock(\.self) }
        set { broken.withLock { $0 = newValue } }
    }

    func session(_ id: SessionID) async throws -> StoredSession? {
        guard !isBroken else {
            throw IdentityError(.retryLater, .storeUnavailable, "The store is broken.", hint: "Repair it.")
        }
        try check(id)
        return try await inner.session(id)
    }

    func remove(_ id: SessionID) async throws -> RemovedSession? {
        try check(id)
        return try await inner.remove(id)
    }

    func attachment(_ name: String, of id: SessionID) async throws -> SessionAttachment? {
        guard damagedAttachments.withLock({ $0 }) != id else { throw Self.damage }
        return try await inner.attachment(name, of: id)
    }

    private func check(_ id: SessionID) throws {
        guard damaged.withLock({ $0 }) != id else { throw Self.damage }
    }

    private static var damage: IdentityError {
        IdentityError(.configuration, .storeCorrupt, "The record is damaged.", hint: "Restore it.")
    }
}

extension BreakableStore: UsedTokenStore {
    func isUsed(_ key: String) async throws -> Bool { try await inner.isUsed(key) }
    func markUsed(_ key: String, until expiry: Date) async throws -> Bool {
        try await inner.markUsed(key, until: expiry)
    }
}
