internal import FoundationEssentials
internal import IdentityKit
internal import IdentityPostgres
internal import IdentitySQLite
internal import IdentityStoreKit

typealias LabStore = SessionStore & SessionReplacing & PartialSessionListing & ExpirySweeping & UsedTokenStore

typealias MaintainedStore = LabStore & StoreKeyRotating & StoreHealthChecking

struct OpenedStore: Sendable {
    let store: any MaintainedStore
    /// The file of a SQLite store; nil for PostgreSQL.
    let path: String?
    let close: @Sendable () async -> Void

    func recorded(by recorder: Recorder) -> any SessionStore {
        func recorded(_ base: some LabStore) -> any SessionStore { RecordingStore(base: base, recorder: recorder) }
        return recorded(store)
    }

    /// Returns the bytes of the database, its journals, the pending logins and the spool; nil for a database server.
    ///
    /// Throws `IdentityError` if a file exists and cannot be read. A file that another process has just removed is ignored.
    func storedBytes() throws -> [UInt8]? {
        guard let path else { return nil }
        var files = [path, path + "-journal", path + "-wal"]
        for folder in [path + ".logins", path + ".spool"] {
            let names = try Self.existing(folder) { try FileManager.default.contentsOfDirectory(atPath: folder) } ?? []
            files += names.map { "\(folder)/\($0)" }
        }
        return try files.flatMap { file -> [UInt8] in
            var isDirectory = false
            if FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory), isDirectory { return [] }
            return try Self.existing(file) { Array(try Data(contentsOf: URL(filePath: file))) } ?? []
        }
    }

    /// Returns the result of a closure that reads the file or directory at a path; nil if nothing exists at the path.
    private static func existing<Content>(_ path: String, _ read: () throws -> Content) throws -> Content? {
        do { return try read() } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            return nil
        } catch {
            throw IdentityError(
                configuration: "\(path), a part of the session store, could not be read.",
                hint: "Check the permissions of this path.",
                cause: error
            )
        }
    }
}

extension OpenedStore {
    private static let members = [
        "path", "postgres", "key", "readOnlyKeys", "schema", "usesTransactionPooler", "direct", "allowsUnverifiedTLS",
        "spool",
    ]

    /// Opens the SQLite file at `path` or, if `path` is nil, the store of the section `store`.
    static func open(
        _ section: ConfigurationSection?,
        path: String?,
        creates: Bool = true
    ) async throws -> OpenedStore {
        try check(section)
        if let section, path == nil, section.memberNames.contains("postgres") {
            #if PostgreSQL
            var configuration = try PostgresStore.Configuration(section)
            configuration.createsStore = creates
            let store = try await PostgresStore.open(configuration)
            return OpenedStore(store: store, path: nil) { await store.close() }
            #else
            throw IdentityError(
                configuration: "This identity-lab was built without PostgreSQL, which store.postgres needs.",
                hint:
                    "Install libpq-dev. Build identity-lab again, with Examples/run or with: swift build --traits PostgreSQL"
            )
            #endif
        }
        var section = section
        let keys = try StoreKeys(&section)
        guard let path = try path ?? section?.optionalString("path") else {
            throw IdentityError(
                configuration: "Configuration member store.path is missing.",
                hint: "Set store.path or store.postgres, or pass --store PATH."
            )
        }
        let store = try await SQLiteStore.open(path: path, keys: keys) {
            $0.createsStore = creates
            $0.keepsJournal = true
        }
        return OpenedStore(store: store, path: path) { await store.close() }
    }

    static func check(_ section: ConfigurationSection?) throws(IdentityError) {
        guard let section else { return }
        try section.check(members: members)
        let names = section.memberNames
        if !names.contains("postgres") {
            let rest = ["usesTransactionPooler", "direct", "allowsUnverifiedTLS", "schema", "spool"]
            for name in rest where names.contains(name) {
                throw section.error(name, "requires the member \"postgres\", which is missing")
            }
        } else if names.contains("path") {
            throw section.error("postgres", "conflicts with \"path\"", hint: "Remove store.postgres or store.path.")
        }
    }
}
