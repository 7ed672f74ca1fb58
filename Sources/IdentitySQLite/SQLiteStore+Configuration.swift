public import IdentityKit

extension SQLiteStore {
    /// Where a store is and how it behaves.
    public struct Configuration: Sendable {
        /// The database file; its directory is made (mode 0700) where it is missing.
        ///
        /// Put it on a local file system: neither SQLite's locks nor ours work on most network file systems. The journal
        /// (`-journal`) and the lock file (`.locks`) live beside it.
        public var path: String
        /// The key under which records are sealed.
        public var key: StoreKey
        /// Keys that only open what was sealed before the present key.
        public var readOnlyKeys: [StoreKey]
        /// The length of a record in bytes, 512 to 1,048,576, by default 8,192.
        ///
        /// It counts when the file is created; later the file's own counts. A record holds the buyer's tokens or what is attached to a
        /// session, less some 100 bytes. One that outgrows it takes 2, 4, 8 or 16 times the length, and only then needs more room.
        public var slotSize: Int
        /// How long a call waits for another process before it fails as `store_busy`, by default 5 seconds.
        public var lockWait: Duration
        /// How many pending logins are kept, by default 10,000; beyond that those that expire first make room.
        ///
        /// The count is exact up to 127, above that other processes may exceed it by a hundredth each.
        public var maximumAttempts: Int
        /// How many used tokens are kept, by default 100,000; beyond that only those that have expired make room.
        public var maximumUsedTokens = 100_000
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
