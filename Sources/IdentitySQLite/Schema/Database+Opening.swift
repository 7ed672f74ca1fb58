internal import CIdentitySQLite
internal import IdentityCrypto
internal import IdentityKit
internal import IdentityStoreKit

/// What a store knows once its file is open.
struct OpenedStore: Sendable {
    let sealer: RecordSealer
    let lookup: LookupKey
    let location: StoreLocation
    let isCopy: Bool
}

extension Database {
    /// Opens the file, or makes it.
    ///
    /// What is there is looked at before anything is written: a file of a newer version, under another key, or damaged stays
    /// untouched.
    func open(_ configuration: SQLiteStore.Configuration) async throws -> OpenedStore {
        guard (512...1_048_576).contains(configuration.slotSize) else {
            throw IdentityError(
                .configuration,
                .configurationInvalid,
                "The store's slot size must be between 512 and 1048576 bytes."
            )
        }
        if configuration.journal == .writeAheadLog, !configuration.trustsWriteAheadLog {
            try WriteAheadLog.require(WriteAheadLog.libraryVersion)
        }
        let location = try StoreLocation(configuration.path, creates: configuration.createsStore)
        if !configuration.allowsNetworkFileSystem {
            let type = configuration.fileSystemType ?? NetworkFileSystem.type(of: location.directory)
            try NetworkFileSystem.refuse(location.directory, type: type)
        }
        let journal = configuration.journal
        let keys = KeyRing(active: configuration.key, readOnly: configuration.readOnlyKeys)
        let (content, isAllowedToWrite) = try location.inspect()
        if content != .present {
            try await create(location, keys, configuration, mayWrite: isAllowedToWrite)
        }
        var opened: Connection? = try await connect(location, forWriting: isAllowedToWrite)
        if try location.inspect().content == .empty {
            // Who began to make it died before the end, and the first read took back what was half done.
            try await create(location, keys, configuration, mayWrite: isAllowedToWrite)
            opened = try await connect(location, forWriting: isAllowedToWrite)
        }
        guard try location.databaseLength() >= Self.smallestDatabase else {
            throw IdentityError.storeCorrupt("The store's file is too short to be one.")
        }
        var header: StoreHeader?
        var lookup: LookupKey?
        let connection = try await retryingWhileBusy {
            // Closed before each pause: of several who wait with a log open, none could ever leave it.
            let candidate = try opened ?? Self.connection(location, forWriting: isAllowedToWrite)
            opened = nil
            let found = try StoreHeader(reading: candidate)
            try candidate.checkLength(of: location)
            lookup = try found.lookupKey(openedBy: keys)
            header = found
            // Not before: it writes to the file, which may be another program's.
            try candidate.setJournal(journal)
            // What stood in a log only is in the file now.
            try candidate.checkLength(of: location)
            return candidate
        }
        guard let header, let lookup else { throw IdentityError.storeCorrupt("The store's file has lost its header.") }
        if isAllowedToWrite && !connection.isReadOnly {
            let descriptor = try LockDescriptor(path: location.locks)
            descriptor.mark()
            let writer = WriterLock(descriptor)
            if header.needsUpgrade(for: keys) {
                try await exclusively(writer) { try header.upgrade(connection, lookup, keys) }
            }
            self.writer = writer
        } else if header.isOld {
            throw IdentityError.storeReadOnly()
        }
        self.connection = connection
        try await retryingWhileBusy { [reader] in
            try await reader.use {
                let connection = try Self.connection(location, forWriting: isAllowedToWrite)
                try connection.setJournal(journal)
                return connection
            }
        }
        return OpenedStore(
            sealer: header.sealer(keys),
            lookup: lookup,
            location: location,
            isCopy: header.isCopy && writer == nil
        )
    }

    /// The smallest page that SQLite knows; shorter files it takes for empty ones.
    private static let smallestDatabase = 512

    private func connect(_ location: StoreLocation, forWriting: Bool) async throws -> Connection {
        try await retryingWhileBusy { try Self.connection(location, forWriting: forWriting) }
    }

    private static func connection(_ location: StoreLocation, forWriting: Bool) throws -> Connection {
        let connection = try Connection(path: location.database, forWriting: forWriting)
        // The rights would allow it: something failed, and a store that can only be read would stay so for good.
        guard !forWriting || !connection.isReadOnly else { throw IdentityError.notWritable }
        try connection.prepareForUse()
        // Plays back what is half done: only then is it known whether anything is there.
        _ = try connection.texts("PRAGMA schema_version")
        return connection
    }

    /// Makes the file and its tables, one process at a time.
    private func create(
        _ location: StoreLocation,
        _ keys: KeyRing,
        _ configuration: SQLiteStore.Configuration,
        mayWrite: Bool
    ) async throws {
        guard configuration.createsStore else {
            try location.refuseOrphanedSpool()
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
            try location.refuseOrphanedSpool()
            try location.createDatabase()
            let connection = try Connection(path: location.database, forWriting: true)
            try connection.prepareForUse()
            try connection.setJournal(.rollback)
            try StoreHeader.create(on: connection, keys, slotSize: configuration.slotSize)
            descriptor.mark()
        }
    }
}

extension Connection {
    /// SQLite takes a last page that was cut for one that ends in zeros.
    fileprivate func checkLength(of location: StoreLocation) throws {
        // Pages that are in the log only are counted too.
        if try location.hasLog() { return }
        let counts = try ["page_count", "page_size"].map { try texts("PRAGMA \($0)").first.flatMap(Int64.init) ?? 0 }
        let (expected, overflow) = counts[0].multipliedReportingOverflow(by: counts[1])
        guard !overflow, try location.databaseLength() >= expected else {
            throw IdentityError.storeCorrupt("The store's file was cut short.")
        }
    }

    /// Sets what every connection needs, and makes sure that it took.
    func prepareForUse() throws {
        limitValues(to: 16 << 20)
        try configure(SQLITE_DBCONFIG_DEFENSIVE, true)
        try configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)
        try configure(SQLITE_DBCONFIG_DQS_DML, false)
        try configure(SQLITE_DBCONFIG_DQS_DDL, false)
        // The page size counts only while the file is empty.
        try execute(
            """
            PRAGMA page_size = 8192; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0;
            PRAGMA cache_size = -4096; PRAGMA secure_delete = ON; PRAGMA synchronous = FULL;
            """
        )
        // A checkpoint is a write, and happens under the writer lock only.
        try configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        for (pragma, value) in [
            ("synchronous", "2"), ("secure_delete", "1"), ("trusted_schema", "0"), ("cell_size_check", "1"),
        ] {
            try require(pragma, value)
        }
    }

    /// Chooses how changes are made safe; what cannot be written keeps the way it has.
    ///
    /// Never a write-ahead log unasked: SQLite before 3.51.3 can corrupt it when two processes write and checkpoint.
    func setJournal(_ journal: SQLiteStore.Journal) throws {
        guard !isReadOnly else { return }
        switch journal {
        case .rollback: try require("journal_mode = PERSIST", "persist")
        case .writeAheadLog:
            try require("journal_mode = WAL", "wal")
            try requireWritableLog()
        }
    }

    /// SQLite settles for reading a log that it could not open for writing, and would do so until the file is closed.
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
                "SQLite does not take the setting \(pragma); it says \(found ?? "nothing").",
                hint: "Close other programs that have the file open, then try again."
            )
        }
    }
}
