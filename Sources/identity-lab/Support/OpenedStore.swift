internal import FoundationEssentials
internal import IdentityKit
internal import IdentityPostgres
internal import IdentitySQLite
internal import IdentityStoreKit

/// The protocols that identity-lab requires of a store.
typealias LabStore = SessionStore & ExpirySweeping & UsedTokenStore

/// A store whose keys can be rotated and whose records can be verified.
typealias MaintainedStore = LabStore & StoreKeyRotating & StoreHealthChecking

/// The opened session store: SQLite or PostgreSQL.
enum OpenedStore: Sendable {
    case sqlite(SQLiteStore, path: String)
    #if PostgreSQL
    case postgres(PostgresStore)
    #endif

    var store: any MaintainedStore {
        switch self {
        case .sqlite(let store, _): store
        #if PostgreSQL
        case .postgres(let store): store
        #endif
        }
    }

    func close() async {
        switch self {
        case .sqlite(let store, _): await store.close()
        #if PostgreSQL
        case .postgres(let store): await store.close()
        #endif
        }
    }

    /// Wraps the store in one that records its operations.
    func recorded(by recorder: Recorder) -> any SessionStore {
        switch self {
        case .sqlite(let store, _): RecordingStore(base: store, recorder: recorder)
        #if PostgreSQL
        case .postgres(let store): RecordingStore(base: store, recorder: recorder)
        #endif
        }
    }

    /// The contents of the database files; nil for a database server.
    func storedBytes() throws -> [UInt8]? {
        guard case .sqlite(_, let path) = self else { return nil }
        let folder = URL(filePath: path).deletingLastPathComponent().path
        let name = URL(filePath: path).lastPathComponent
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix(name) }
        return files.flatMap { Array(FileManager.default.contents(atPath: "\(folder)/\($0)") ?? Data()) }
    }
}
