import FoundationEssentials
import IdentityKit
import IdentityStoreKit

private struct MyStore<Tables: SealedTables>: Sendable {
    let spool: SessionSpool
    let records: StoreRecords
    let tables: Tables
}

private struct Redis: Sendable {
    func get(key: [UInt8]) async throws -> [UInt8]? { nil }
    func set(key: [UInt8], value: [UInt8]) async throws {}
}

extension MyStore: SessionSpooling {
    func spool(_ session: StoredSession) async throws { try await spool.keep(session) }
    func spooledSession(_ id: SessionID) async throws -> StoredSession? { try await spool.session(id) }
    func spooledSessions() async throws -> [StoredSession] { try await spool.sessions() }
    func removeSpooledSession(_ id: SessionID) async throws { try await spool.remove(id) }
}

extension MyStore: RowQuarantining {
    func quarantineDamagedRows() async throws -> Int {
        try await RowMaintenance(tables, records: records).quarantineDamagedRows()
    }
}

// swift-format-ignore
extension App {
    private func save(
        _ session: StoredSession, _ id: SessionID, keys: StoreKeys, redis: Redis
    ) async throws -> StoredSession? {
        // Once, when the store is created: write the header to the database.
        let header = try StoreHeader.make(sealedUnder: keys)
        // Each time the store is opened, with the header that was read from the database:
        let records = try header.records(openedWith: keys)

        // To save a session:
        let row = try records.seal(session)
        try await redis.set(key: row.hash, value: row.bytes)
        // To read a session:
        guard let bytes = try await redis.get(key: records.hash(of: id)) else { return nil }
        guard let sealed = SealedSession(bytes: bytes) else {
            throw IdentityError(.configuration, .storeCorrupt, "The row of a session is damaged.")
        }
        return try records.open(sealed, of: id)
    }

    func referencedKeys() {
        let keys = ReferencedKeys(.environment("IDENTITY_STORE_KEY"), readOnly: [.file("/etc/shop/old.key")])
        _ = keys
    }

    func key() throws {
        let key = try StoreKey(hexadecimal: Secret(ProcessInfo.processInfo.environment["IDENTITY_STORE_KEY"] ?? ""))
        _ = key
    }
}
