import FoundationEssentials
import IdentityKit
import IdentityTesting
import Synchronization

/// A store whose reads of sessions fail while it is broken.
final class BreakableStore: WrappingStore {
    let inner = InMemoryStore()
    private let broken = Mutex(false)

    var isBroken: Bool {
        get { broken.withLock(\.self) }
        set { broken.withLock { $0 = newValue } }
    }

    func session(_ id: SessionID) async throws -> StoredSession? {
        guard !isBroken else {
            throw IdentityError(.retryLater, .storeUnavailable, "The store is broken.", hint: "Repair it.")
        }
        return try await inner.session(id)
    }
}

extension BreakableStore: UsedTokenStore {
    func isUsed(_ key: String) async throws -> Bool { try await inner.isUsed(key) }
    func markUsed(_ key: String, until expiry: Date) async throws -> Bool {
        try await inner.markUsed(key, until: expiry)
    }
}
