public import IdentityKit
public import IdentityStoreKit

extension SQLiteStore {
    /// How changes to the file are made safe.
    public enum Journal: Sendable {
        /// A journal of what was there before. A save overwrites pages in place, which works on a full disk too.
        case rollback
        /// A write-ahead log: more saves each second, and readers go on meanwhile; but a save needs room on the disk.
        ///
        /// Refused unless the SQLite library in use is free of a fault that can corrupt it: 3.51.3 or newer, 3.50.7, 3.44.6 and what
        /// follows these in their lines.
        case writeAheadLog
    }

    /// Where a store is and how it behaves.
    public struct Configuration: Sendable {
        /// The database file; its directory is made (mode 0700) where it is missing, unless ``createsStore`` forbids it.
        ///
        /// Put it on a local file system: neither SQLite's locks nor ours work on most network file systems. The journal
        /// (`-journal`, or `-wal` and `-shm`), the lock file (`.locks`) and the spool (`.spool`) live beside it.
        public var path: String
        /// The key under which records are sealed.
        public var key: StoreKey
        /// Keys that only open what was sealed before the present key.
        public var readOnlyKeys: [StoreKey]
        /// Whether a missing file becomes an empty store, by default true.
        ///
        /// Set it to false in production: a wrong path, a lost file or a disk that is not mounted is then an error
        /// (`configuration_invalid`) instead of an empty store, in which nobody is signed in. A missing file beside a spool that holds
        /// sessions is an error in any case.
        public var createsStore = true
        /// The length of a record in bytes, 512 to 1,048,576, by default 8,192.
        ///
        /// It counts when the file is created; later the file's own counts. A record holds the buyer's tokens or what is attached to a
        /// session, less some 100 bytes. One that outgrows it takes 2, 4, 8 or 16 times the length, and only then needs more room.
        public var slotSize: Int
        /// How long a call waits for another process before it fails as `store_busy`, by default 5 seconds.
        public var lockWait: Duration
        /// How changes are made safe, by default ``Journal/rollback``.
        ///
        /// The file remembers it. One that was left in the other mode is converted when it is opened for writing and nobody else has
        /// it open; otherwise opening fails as `store_busy`.
        public var journal = Journal.rollback
        /// Whether the store may be on a file system of other machines, by default false.
        ///
        /// Locks are not to be relied on there: tokens may be spent twice, and the file may be damaged.
        public var allowsNetworkFileSystem = false
        /// How many pending logins of each tenant are kept, by default 10,000; beyond that those of the tenant that expire first make
        /// room.
        ///
        /// The count is exact up to 127, above that other processes may exceed it by a hundredth each.
        public var maximumAttempts: Int
        /// How many sessions a tenant may have, by default nil for any number; another one is then refused as `store_full`, of kind
        /// `retryLater`, for room comes when sessions end.
        ///
        /// The count is exact up to 127, above that other processes may exceed it by a hundredth each.
        public var maximumSessionsPerTenant: Int?
        /// How many used tokens are kept, by default 100,000; beyond that only those that have expired make room.
        public var maximumUsedTokens = 100_000
        /// Takes a library for one without the fault, for tests where there is one process only.
        package var trustsWriteAheadLog = false
        /// What `statfs` says of the directory, for tests.
        package var fileSystemType: Int64?
        /// By which waits are measured and used tokens expire.
        public var clock: any IdentityClock

        /// A configuration of the given parts.
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
