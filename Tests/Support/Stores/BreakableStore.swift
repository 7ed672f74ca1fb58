package import FoundationEssentials
package import IdentityKit
internal import IdentityTesting
internal import Synchronization

/// A store whose reads of sessions fail while it is broken, and that cannot decrypt a damaged session.
package final class BreakableStore: WrappingStore, SessionReplacing {
    package let inner: InMemoryStore
    private let broken = Mutex(false)
    private let damaged = Mutex<SessionID?>(nil)
    private let damagedAttachments = Mutex<SessionID?>(nil)

    package init(maximumSessionsPerTenant: Int? = nil) {
        inner = InMemoryStore(maximumSessionsPerTenant: maximumSessionsPerTenant)
    }

    package func insertReplacement(_ session: StoredSession) async throws { try await inner.insertReplacement(session) }

    package func damage(_ id: SessionID) { damaged.withLock { $0 = id } }
    package func damageAttachments(of id: SessionID) { damagedAttachments.withLock { $0 = id } }

    package var isBroken: Bool {
        get { broken.withLock(\.self) }
        set { broken.withLock { $0 = newValue } }
    }

    package func session(_ id: SessionID) async throws -> StoredSession? {
        guard !isBroken else {
            throw IdentityError(.retryLater, .storeUnavailable, "The store is broken.", hint: "Repair it.")
        }
        try check(id)
        return try await inner.session(id)
    }

    package func remove(_ id: SessionID) async throws -> RemovedSession? {
        try check(id)
        return try await inner.remove(id)
    }

    package func attachment(_ name: String, of id: SessionID) async throws -> SessionAttachment? {
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
    package func isUsed(_ key: String) async throws -> Bool { try await inner.isUsed(key) }
    package func markUsed(_ key: String, until expiry: Date) async throws -> Bool {
        try await inner.markUsed(key, until: expiry)
    }
}
