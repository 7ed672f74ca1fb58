public import IdentityKit
internal import IdentityPlatform
public import IdentityStoreKit

extension SQLiteStore {
    /// SQLite's journal modes.
    public enum Journal: Sendable {
        /// A rollback journal: before a save overwrites pages of the database file, SQLite copies the old pages to the journal.
        ///
        /// A save that keeps the length of its row usually works on a full disk too.
        case rollback
        /// A write-ahead log: SQLite writes new pages to the log, and copies the pages into the database file later.
        ///
        /// The log allows more saves each second, and readers continue during a save. But a save needs free space on the disk. Opening
        /// fails if the process's SQLite library has a fault that can corrupt the file. The fault is corrected in 3.51.3 and newer,
        /// 3.50.7 and later versions of 3.50, and 3.44.6 and later versions of 3.44.
        case writeAheadLog
    }

    /// The location of a store and its options.
    public struct Configuration: Sendable {
        /// The path of the database file; a missing directory is created (mode 0700), unless ``createsStore`` is false.
        ///
        /// Put the file on a local file system, because locks do not work on most network file systems. The store keeps further files
        /// beside the file, with the suffixes `-journal` (or `-wal` and `-shm`) and `.locks`, and the directories `.logins` (pending
        /// logins) and `.spool`.
        public var path: String
        /// The key that encrypts the records.
        public var key: StoreKey
        /// Further keys, which only decrypt existing records; a key rotation needs them.
        public var readOnlyKeys: [StoreKey]
        /// Whether a missing file becomes an empty store, by default true.
        ///
        /// Set it to false in production. Then opening fails with `configuration_invalid` if the path is wrong, the file is lost or the
        /// disk is not mounted. With true, opening creates an empty store in these cases, and no buyer is signed in. But opening fails if
        /// the spool beside the missing file contains sessions.
        public var createsStore = true
        /// The length of a record in bytes, 512 to 1,048,576, by default 7,680; an existing file keeps the value with which it was created.
        ///
        /// A record is a session (tokens, claims and space for the next tokens), an attachment, or a pending login in the database file. A
        /// record that does not fit gets 2, 4, 8 or 16 times this length.
        public var slotSize: Int
        /// How long a call that reads or writes waits for another process before it fails with `store_busy`, by default 5 seconds.
        public var lockWait: Duration
        /// SQLite's journal mode, by default ``Journal/rollback``; opening an existing file for writing converts the file to this mode.
        ///
        /// A conversion to the rollback journal fails with `store_busy` while another process has the file open. After a conversion to a
        /// write-ahead log, saves of other processes that have the file open fail with `configuration_invalid` if their SQLite library has
        /// the fault that ``Journal/writeAheadLog`` describes.
        public var journal = Journal.rollback
        /// Whether an existing file keeps its journal mode instead of ``journal``, for a tool that opens the stores of other programs.
        package var keepsJournal = false
        /// Whether pending logins survive a restart of the machine, by default false.
        ///
        /// With false, most pending logins are in a file in the directory `<path>.logins`, which the store does not synchronize with the
        /// disk. These logins survive a crash of the process. After a restart of the machine, a buyer whose login was pending must begin
        /// again. The database file keeps all pending logins if the directory may be on another machine, or if the id of the machine's boot
        /// is not known.
        ///
        /// With true, the database file keeps all pending logins, which costs two more durable writes for each login. Set the same value in
        /// all processes of a store, so that each process finds the pending login of a callback.
        public var savesPendingLoginsDurably = false
        /// Whether the store may be on a network file system, by default false.
        ///
        /// Locks are not reliable there: a refresh token may be sent twice, and the file may be damaged.
        public var allowsNetworkFileSystem = false
        /// The maximum number of pending logins of each tenant, by default 10,000; above it, the first logins to expire are removed.
        ///
        /// The limit applies separately to the file of pending logins and to the database, which keeps the logins that do not fit into the
        /// file. A limit below 256 is exact. With a limit of 256 or more, each process may exceed it by less than one percent.
        public var maximumAttempts: Int
        /// The maximum number of sessions of a tenant, by default nil, which means no limit.
        ///
        /// At the limit, saving a new session fails with `store_full`, of kind `retryLater`, unless it replaces another session. The limit
        /// may be exceeded in the same way as ``maximumAttempts``.
        public var maximumSessionsPerTenant: Int?
        /// The maximum number of tokens that are marked as used, such as logout tokens, by default 100,000.
        ///
        /// At the limit, expired marks are removed. If too few marks have expired, ``SQLiteStore/markUsed(_:until:)`` fails with
        /// `store_full`.
        public var maximumUsedTokens = 100_000
        /// Allows ``Journal/writeAheadLog`` with a SQLite library that can corrupt the file, for tests with a single process.
        package var trustsWriteAheadLog = false
        package var bootID: @Sendable () -> String? = BootID.current
        /// Replaces the file system type that `statfs` returns for the directory, for tests.
        package var fileSystemType: Int64?
        /// The clock for waits such as ``lockWait``, for the expiry of marks of used tokens, and for the dates of rows in quarantine.
        public var clock: any IdentityClock

        /// Creates a configuration.
        public init(
            path: String,
            key: StoreKey,
            readOnlyKeys: [StoreKey] = [],
            slotSize: Int = 7_680,
            lockWait: Duration = .seconds(5),
            maximumAttempts: Int = 10_000,
            clock: any IdentityClock = SystemClock()
        ) {
            self.path = path
            self.key = key
            self.readOnlyKeys = readOnlyKeys
            self.slotSize = slotSize
            self.lockWait = lockWait
            self.maximumAttempts = maximumAttempts
            self.clock = clock
        }
    }
}

extension SQLiteStore.Configuration {
    /// Reads the section `store` of a configuration file, with the members `path`, `key` and `readOnlyKeys`.
    ///
    /// If `key` is missing, the key comes from the environment variable `IDENTITY_STORE_KEY`.
    ///
    /// - Throws: `IdentityError` when `section` is nil or names a PostgreSQL database, when `path` or the key is missing, or when a member
    ///   is unknown or invalid.
    public init(_ section: ConfigurationSection?) throws {
        guard let section else { throw IdentityError.missingStoreSection }
        if section.memberNames.contains(where: { $0.isIdentical(to: "postgres") }) {
            throw section.error(
                "postgres",
                "names a PostgreSQL database, and this app opens a SQLite file",
                hint: "Replace store.postgres by store.path, or open a `PostgresStore` in the app."
            )
        }
        try section.check(members: ["path", "key", "readOnlyKeys"])
        var optional: ConfigurationSection? = section
        let keys = try StoreKeys(&optional)
        var rest = section
        self.init(path: try rest.string("path"), key: keys.active, readOnlyKeys: keys.readOnly)
    }
}
