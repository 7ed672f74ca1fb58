internal import CIdentitySQLite
internal import IdentityCrypto
internal import IdentityKit
internal import IdentityPlatform
internal import IdentityStoreKit

struct OpenedStore: Sendable {
    let records: StoreRecords
    let location: StoreLocation
    /// The random bytes that identify the store.
    let id: [UInt8]
    /// Whether the file is a backup that cannot be written (``SQLiteStore/isCopy``).
    let isCopy: Bool
    let isWritable: Bool
    let mayBeRemote: Bool
}

extension Database {
    /// Opens the file, or creates it.
    ///
    /// The header of the file is checked before the first write. So a file with a damaged header, another version or another key is not
    /// changed. SQLite may roll back the transaction of a crashed process before this check.
    func open(_ configuration: SQLiteStore.Configuration) async throws -> OpenedStore {
        guard StoreHeader.slotSizes.contains(configuration.slotSize) else { throw IdentityError.invalidSlotSize }
        if configuration.journal == .writeAheadLog, !configuration.trustsWriteAheadLog {
            try WriteAheadLog.require(WriteAheadLog.libraryVersion)
        }
        let location = try StoreLocation(configuration.path, creates: configuration.createsStore)
        let fileSystem = configuration.fileSystemType ?? FileSystem.type(at: location.directory)
        if !configuration.allowsNetworkFileSystem {
            try location.refuseNetwork(type: fileSystem)
        }
        var journal = configuration.journal
        let keys = StoreKeys(active: configuration.key, readOnly: configuration.readOnlyKeys)
        let (content, isAllowedToWrite) = try location.inspect()
        if content != .present {
            try await create(location, keys, configuration, mayWrite: isAllowedToWrite)
        }
        var opened: Connection? = try await connect(location, forWriting: isAllowedToWrite)
        if try location.inspect().content == .empty {
            // The file contained only the unfinished transaction of a process that crashed while it created the store. The first read has
            // rolled back this transaction.
            try await create(location, keys, configuration, mayWrite: isAllowedToWrite)
            opened = try await connect(location, forWriting: isAllowedToWrite)
        }
        guard try location.databaseLength() >= Self.smallestDatabase else {
            throw IdentityError.storeCorrupt("The store's file is too short to be a database.")
        }
        var found: (file: FileHeader, records: StoreRecords)?
        let connection = try await retryingWhileBusy {
            // The connection is closed before each pause. SQLite changes a write-ahead log to a rollback journal only if no other
            // connection is open, so processes that wait with open connections would block each other.
            let candidate = try opened ?? Self.connection(location, forWriting: isAllowedToWrite)
            opened = nil
            let header = try FileHeader(reading: candidate)
            try candidate.checkLength(of: location)
            found = (header, try header.store.records(openedWith: keys))
            if configuration.keepsJournal, !candidate.isReadOnly {
                journal = try candidate.journal(trusted: configuration.trustsWriteAheadLog)
            }
            // Setting the journal mode can write to the file. So the checks come first: the file may belong to another program.
            try candidate.setJournal(journal)
            // A change to a rollback journal has copied the pages of the log into the file, so the file's length can be checked now.
            try candidate.checkLength(of: location)
            return candidate
        }
        guard let (header, records) = found else { throw FileHeader.lost }
        if isAllowedToWrite && !connection.isReadOnly {
            let descriptor = try LockDescriptor(path: location.locks)
            descriptor.mark()
            let writer = WriterLock(descriptor)
            if try header.needsWriting(for: keys) {
                try await exclusively(writer) { try FileHeader.update(connection, keys) }
            }
            self.writer = writer
        }
        self.connection = connection
        try await retryingWhileBusy { [reader, journal] in
            try await reader.use {
                let connection = try Self.connection(location, forWriting: isAllowedToWrite)
                try connection.setJournal(journal)
                return connection
            }
        }
        let mayBeRemote = FileSystem.mayBeRemote(fileSystem)
        if !mayBeRemote {
            // If this connection cannot be opened, all reads run on the thread of ``DatabaseReader``.
            try? direct.use { try Self.connection(location, forWriting: false) }
        }
        return OpenedStore(
            records: records,
            location: location,
            id: header.store.storeID,
            isCopy: header.isCopy && writer == nil,
            isWritable: writer != nil,
            mayBeRemote: mayBeRemote
        )
    }

    /// SQLite's smallest page size in bytes; SQLite treats a shorter file as empty.
    private static let smallestDatabase = 512

    private func connect(_ location: StoreLocation, forWriting: Bool) async throws -> Connection {
        try await retryingWhileBusy { try Self.connection(location, forWriting: forWriting) }
    }

    static func connection(_ location: StoreLocation, forWriting: Bool) throws -> Connection {
        let connection = try Connection(path: location.database, forWriting: forWriting)
        // SQLite opens a file read-only if it fails to open it for writing. The file's permissions allow writing, so the failure may be
        // temporary: an error is better than a store that stays read-only until it is closed.
        guard !forWriting || !connection.isReadOnly else { throw IdentityError.notWritable }
        try connection.prepareForUse()
        // This read rolls back the transaction of a crashed process. Before the rollback, the file's length may be that of the unfinished
        // transaction.
        _ = try connection.texts("PRAGMA schema_version")
        return connection
    }

    private func create(
        _ location: StoreLocation,
        _ keys: StoreKeys,
        _ configuration: SQLiteStore.Configuration,
        mayWrite: Bool
    ) async throws {
        guard configuration.createsStore else {
            try SessionSpool.refuseOrphaned(at: location.spool, missing: "database at \(location.database)")
            throw StoreLocation.missing(location.database)
        }
        guard mayWrite else { throw IdentityError.storeReadOnly() }
        let descriptor = try LockDescriptor(path: location.locks)
        try await exclusively(WriterLock(descriptor)) {
            let content = try location.inspect().content
            guard content != .present else { return }
            guard content == .missing || !descriptor.isMarked else {
                throw IdentityError.storeCorrupt("The store's file is empty although it once was a store.")
            }
            try SessionSpool.refuseOrphaned(at: location.spool, missing: "database at \(location.database)")
            try location.createDatabase()
            let connection = try Connection(path: location.database, forWriting: true)
            try connection.prepareForUse()
            try connection.setJournal(.rollback)
            try Schema.create(on: connection, keys, slotSize: configuration.slotSize)
            descriptor.mark()
        }
    }
}

extension Connection {
    /// Throws if the file is shorter than the sum of its pages.
    ///
    /// SQLite does not report this damage: it reads the missing bytes of the last page as zeros.
    fileprivate func checkLength(of location: StoreLocation) throws {
        // `page_count` includes pages that are only in the log, so the file may be shorter.
        if try location.hasLog() { return }
        let (expected, overflow) = try number("page_count").multipliedReportingOverflow(by: number("page_size"))
        guard !overflow, try location.databaseLength() >= expected else {
            throw IdentityError.storeCorrupt("The store's file was truncated.")
        }
    }

    func number(_ pragma: String) throws(SQLiteFailure) -> Int64 {
        try texts("PRAGMA \(pragma)").first.flatMap(Int64.init) ?? 0
    }

    /// Sets the options of a connection; reads four of the pragmas back, and throws if SQLite did not accept a value.
    func prepareForUse() throws {
        // A row contains a record of at most sixteen slots of 1 MiB, and some columns.
        limitValues(to: 17 << 20)
        try configure(SQLITE_DBCONFIG_DEFENSIVE, true)
        try configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)
        try configure(SQLITE_DBCONFIG_DQS_DML, false)
        try configure(SQLITE_DBCONFIG_DQS_DDL, false)
        // The page size has an effect only while the file is empty.
        try execute(
            """
            PRAGMA page_size = 8192; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0;
            PRAGMA cache_size = -4096; PRAGMA secure_delete = ON; PRAGMA synchronous = FULL;
            """
        )
        // Closing a connection must not start a checkpoint, because a checkpoint writes and needs the writer lock.
        try configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        for (pragma, value) in [
            ("synchronous", "2"), ("secure_delete", "1"), ("trusted_schema", "0"), ("cell_size_check", "1"),
        ] {
            try require(pragma, value)
        }
    }

    /// The journal mode of the file; throws in WAL mode if this SQLite version can corrupt the file, unless `isTrusted` is true.
    fileprivate func journal(trusted isTrusted: Bool) throws -> SQLiteStore.Journal {
        guard try texts("PRAGMA journal_mode").first == "wal" else { return .rollback }
        if !isTrusted { try WriteAheadLog.require(WriteAheadLog.libraryVersion) }
        return .writeAheadLog
    }

    /// Sets the journal mode; a connection that only reads keeps the mode of the file.
    func setJournal(_ journal: SQLiteStore.Journal) throws {
        guard !isReadOnly else { return }
        switch journal {
        case .rollback: try require("journal_mode = PERSIST", "persist")
        case .writeAheadLog:
            // Opening the store has checked the version of the library, unless the configuration trusts the library.
            mayUseLog = true
            try require("journal_mode = WAL", "wal")
            try requireWritableLog()
        }
    }

    /// Throws if SQLite could open the write-ahead log only for reading: the log would stay read-only until the connection is closed.
    private func requireWritableLog() throws {
        do {
            try execute("BEGIN IMMEDIATE; ROLLBACK")
        } catch {
            throw error.primary == SQLITE_READONLY ? IdentityError.notWritable : error as any Error
        }
    }

    private func require(_ pragma: String, _ value: String) throws {
        let found = try texts("PRAGMA \(pragma)").first
        guard found == value else {
            throw IdentityError(
                .configuration,
                .storeFailed,
                "SQLite did not accept the setting \(pragma); it returned \(found ?? "nothing").",
                hint: """
                    Close other programs that have the store's file open, then try again. If the error persists, use another build or a \
                    newer version of the SQLite library.
                    """
            )
        }
    }
}
