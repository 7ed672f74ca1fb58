internal import FoundationEssentials
internal import IdentityKit
internal import IdentityStoreKit

/// The protocols that identity-lab requires of a store.
typealias LabStore = SessionStore & ExpirySweeping & UsedTokenStore

/// A store whose keys can be rotated and whose records can be verified.
typealias MaintainedStore = LabStore & StoreKeyRotating & StoreHealthChecking

/// The opened session store: SQLite or PostgreSQL.
struct OpenedStore: Sendable {
    let store: any MaintainedStore
    /// The file of a SQLite store; nil for PostgreSQL.
    let path: String?
    let close: @Sendable () async -> Void

    /// Returns a store that performs each operation with this store and records the write operations.
    func recorded(by recorder: Recorder) -> any SessionStore {
        func recorded(_ base: some LabStore) -> any SessionStore { RecordingStore(base: base, recorder: recorder) }
        return recorded(store)
    }

    /// Returns the contents of the database files; nil for a database server.
    func storedBytes() throws -> [UInt8]? {
        guard let path else { return nil }
        let folder = URL(filePath: path).deletingLastPathComponent().path
        let name = URL(filePath: path).lastPathComponent
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix(name) }
        return files.flatMap { Array(FileManager.default.contents(atPath: "\(folder)/\($0)") ?? Data()) }
    }
}
