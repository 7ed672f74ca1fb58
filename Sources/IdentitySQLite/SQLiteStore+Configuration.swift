public import IdentityKit
internal import IdentityPlatform
public import IdentityStoreKit

extension SQLiteStore {
    /// SQLite's journal modes.
    public enum Journal: Sendable {
        /// A journal of the old pages. A save overwrites pages in place, which also works on a full disk.
        case rollback
        /// A write-ahead log: more saves each second, and readers continue during a save. But a save needs free space on
        /// the disk.
        ///
        /// Opening fails when the SQLite library in use has a fault that can corrupt the database file. Versions without the fault: 3.51.3 and newer,
        /// 3.50.7 and newer in that line, 3.44.6 and newer in that line.
        case writeAheadLog
    }

    /// The location of a store and its options.
    public struct Configuration: Sendable {
        /// The path of the database file.
        ///
        /// A missing directory is created (mode 0700), unless ``createsStore`` is false.
        ///
        /// Put it on a local file system: locks do not work on most network file systems. The journal (`-journal`, or `-wal` and `-shm`),
        /// the lock file (`.locks`), the pending logins (`.logins`) and the spool (`.spool`) are beside it.
        public var path: String
        /// The key under which records are sealed.
        public var key: StoreKey
        /// Keys that only open records that were sealed before the key was rotated.
        public var readOnlyKeys: [StoreKey]
        /// Whether a missing file becomes an empty store, by default true.
        ///
        /// Set it to false in production: a wrong path, a lost file or a disk that is not mounted is then an error
        /// (`configuration_invalid`) instead of an empty store, in which no buyer is signed in. A missing file beside a spool with sessions
        /// is an error in any case.
        public var createsStore = true
        /// The length of a record in bytes, 512 to 1,048,576, by default 8,192.
        ///
        /// It is used when the file is created; later the file's own value is used. A record holds the buyer's tokens or an attachment,
        /// less about 100 bytes. A record that outgrows it has 2, 4, 8 or 16 times the length, and only then needs more space.
        public var slotSize: Int
        /// How long a call waits for another process before it fails as `store_busy`, by default 5 seconds.
        public var lockWait: Duration
        /// SQLite's journal mode, by default ``Journal/rollback``.
        ///
        /// The file remembers it. A file in the other mode is converted when it is opened for writing and no other process has it open.
        /// Otherwise opening fails as `store_busy`.
        public var journal = Journal.rollback
        /// Whether an existing file keeps its journal mode, for a tool that opens the stores of other programs.
        package var keepsJournal = false
        /// Whether pending logins survive a restart of the machine, by default false.
        ///
        /// By default they are in a file in `<path>.logins`, which is never synchronized with the disk. The end of a process loses none.
        /// After a restart of the machine the file is discarded, and a buyer whose login was pending begins again. With true, pending
        /// logins are in ``path``, which costs two more durable writes for each login. All processes of a store need the same value.
        public var savesPendingLoginsDurably = false
        /// Whether the store may be on a network file system, by default false.
        ///
        /// Locks are not reliable there: a refresh token may be sent twice, and the file may be damaged.
        public var allowsNetworkFileSystem = false
        /// The maximum number of pending logins of each tenant, by default 10,000.
        ///
        /// Above the limit, the tenant's logins that expire first are evicted.
        ///
        /// It applies twice: to the logins in the file of pending logins, and to those that do not fit there and are in the database, for
        /// example because their record is longer than 2,048 bytes. The limit is exact below 256. From 256, each process may exceed it by
        /// less than one percent.
        public var maximumAttempts: Int
        /// The maximum number of sessions of a tenant, by default nil, which means no limit.
        ///
        /// At the limit, saving a new session fails with `store_full`, of kind `retryLater`, because the call can succeed
        /// after another session ends.
        ///
        /// The limit is exact below 256. From 256, each process may exceed it by less than one percent.
        public var maximumSessionsPerTenant: Int?
        /// The maximum number of used tokens, by default 100,000.
        ///
        /// At the limit, expired marks are removed. If none has expired, the call fails with `store_full`.
        public var maximumUsedTokens = 100_000
        /// Allows ``Journal/writeAheadLog`` with a SQLite library that has the fault, for tests with a single process.
        package var trustsWriteAheadLog = false
        /// The id of the machine's present boot; nil if it is not known.
        package var bootID: @Sendable () -> String? = BootID.current
        /// The result of `statfs` for the directory, for tests.
        package var fileSystemType: Int64?
        /// The clock for time limits and for the expiry of used tokens.
        public var clock: any IdentityClock

        /// Creates a configuration.
        public init(
            path: String,
            key: StoreKey,
            readOnlyKeys: [StoreKey] = [],
            slotSize: Int = 8_192,
            lockWait: Duration = .seconds(5),
            maximumAttempts: Int = 10_000,
            clock: any IdentityClock = SystemClock()
        ) {
            self.path = path
            self.key = key
            self.readOnlyKeys = readOnlyKeys
            self.slotSize = slotSize
            self.lockWait = lockWait
            self.maximumAttempts = max(1, maximumAttempts)
            self.clock = clock
        }
    }
}
