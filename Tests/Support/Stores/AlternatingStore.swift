package import FoundationEssentials
package import IdentityKit
package import IdentityStoreKit
internal import IdentityTesting
internal import Synchronization

/// Passes each call to the next of several stores over one database, like processes that share it.
package final class AlternatingStore<Store>: WrappingStore, UsedTokenStore, ExpirySweeping
where Store: SessionStore & UsedTokenStore & ExpirySweeping {
    private let stores: [Store]
    private let turn = Mutex(0)

    package init(_ stores: Store...) {
        self.stores = stores
    }

    package var inner: Store {
        let number = turn.withLock { turn in
            turn += 1
            return turn
        }
        return stores[number % stores.count]
    }

    package func isUsed(_ key: String) async throws -> Bool { try await inner.isUsed(key) }
    package func markUsed(_ key: String, until expiry: Date) async throws -> Bool {
        try await inner.markUsed(key, until: expiry)
    }
    package func sweep(expiredBefore date: Date) async throws -> Int { try await inner.sweep(expiredBefore: date) }
}

extension AlternatingStore: SessionSpooling where Store: SessionSpooling {
    package func spool(_ session: StoredSession) async throws { try await inner.spool(session) }
    package func spooledSession(_ id: SessionID) async throws -> StoredSession? { try await inner.spooledSession(id) }
    package func spooledSessions() async throws -> [StoredSession] { try await inner.spooledSessions() }
    package func removeSpooledSession(_ id: SessionID) async throws { try await inner.removeSpooledSession(id) }
}

extension AlternatingStore: StoreHealthChecking where Store: StoreHealthChecking {
    package func checkHealth() async throws -> StoreHealth { try await inner.checkHealth() }
}

extension AlternatingStore: RowQuarantining where Store: RowQuarantining {
    package func quarantineDamagedRows() async throws -> Int { try await inner.quarantineDamagedRows() }
}

extension AlternatingStore: StoreKeyRotating where Store: StoreKeyRotating {
    package func keyUsage() async throws -> [StoreKeyUsage] { try await inner.keyUsage() }
    package func resealRows(after position: ResealPosition?, limit: Int) async throws -> ResealProgress {
        try await inner.resealRows(after: position, limit: limit)
    }
}
