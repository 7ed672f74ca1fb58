public import IdentityKit
public import IdentityStoreKit

extension PostgresStore {
    /// How a session's lock is kept.
    public enum Locking: Sendable {
        /// A row with an end, on the server's clock, renewed while it is held: works behind a pooler.
        ///
        /// A holder that dies keeps others waiting until the lease ends.
        case lease(Duration = .seconds(12))
        /// A session-level advisory lock on the direct connection: the server frees it as soon as it sees the connection end.
        case advisory
    }

    /// Where a store is and how it behaves.
    public struct Configuration: Sendable {
        /// A `postgresql://` URL or libpq's keywords and values; never repeated in an error or a log.
        ///
        /// Several hosts may be named (`host1,host2`): the first that takes writes is used, else the first that can be read; with
        /// `target_session_attrs=read-write` only one that takes writes. To a host on another machine TLS is `verify-full` where
        /// the string does not say otherwise.
        public var connection: Secret
        /// The key under which records are sealed.
        public var key: StoreKey
        /// Keys that only open what was sealed before the present key.
        public var readOnlyKeys: [StoreKey]
        /// The schema in which the tables are, by default `identitykit`; it is made where it is missing.
        public var schema = "identitykit"
        /// Whether a store is made where there is none, by default true.
        ///
        /// With false, a wrong name or a lost schema is an error instead of an empty store, in which nobody is signed in.
        public var createsStore = true
        /// The length of a record in bytes, 512 to 1,048,576, by default 8,192; it counts when the store is made.
        ///
        /// One that outgrows it takes 2, 4, 8 or 16 times the length.
        public var slotSize = 8_192
        /// Whether ``connection`` leads through a pooler that gives out connections for one transaction, such as PgBouncer's
        /// transaction mode; by default false.
        ///
        /// Then nothing is prepared or set for longer than a transaction.
        public var usesTransactionPooler = false
        /// A connection string that leads straight to the server, for notifications and advisory locks; by default ``connection``
        /// itself where no pooler is used.
        public var directConnection: Secret?
        /// Whether those who wait for a session's lock are woken by a notification (LISTEN, over one more connection), by default
        /// where there is a direct connection; all of them poll too.
        public var listensForNotifications = true
        /// How a session's lock is kept, by default by leases of 12 seconds; 6 to 15 are allowed.
        public var locking = Locking.lease()
        /// Whether the string's `sslmode` may be weaker than `verify-full` to a host on another machine, by default false.
        public var allowsUnverifiedTLS = false
        /// How many connections are open at most, by default 8, and one more where there is a direct one.
        public var maximumConnections = 8
        /// How long a call may take in all, waiting for a connection included, by default 5 seconds.
        public var callLimit: Duration = .seconds(5)
        /// How long one server may take to accept a connection, by default 5 seconds.
        public var connectLimit: Duration = .seconds(5)
        /// After which time a connection that nobody uses is closed, by default 5 minutes.
        public var idleLimit: Duration = .seconds(300)
        /// How many pending logins are kept for one tenant, by default 10,000; beyond that those that expire first make room.
        ///
        /// The count is exact up to 127, above that other processes may exceed it by a hundredth each.
        public var maximumAttempts = 10_000
        /// How many sessions a tenant may have, by default nil for any number; another one is then refused as `store_full`, of kind
        /// `retryLater`, for room comes when sessions end.
        ///
        /// The count is exact up to 127, above that other processes may exceed it by a hundredth each.
        public var maximumSessionsPerTenant: Int?
        /// A directory on this machine for sessions that the database does not take, sealed as their rows would be; by default nil,
        /// and new tokens that cannot be saved are kept in memory only.
        public var spoolDirectory: String?
        /// How many used tokens are kept, by default 100,000; beyond that only those that have expired make room.
        ///
        /// It may be exceeded as the number of pending logins may.
        public var maximumUsedTokens = 100_000
        /// By which used tokens expire, together with the database's clock: what is over by both makes room.
        public var clock: any IdentityClock = SystemClock()

        /// A configuration of the given parts.
        public init(connection: Secret, key: StoreKey, readOnlyKeys: [StoreKey] = []) {
            self.connection = connection
            self.key = key
            self.readOnlyKeys = readOnlyKeys
        }
    }
}

extension PostgresStore.Configuration {
    /// The channel on which ends of leases are told; its name holds nothing that needs quotes.
    var channel: String { "identitykit_\(schema)" }

    /// - Throws: `configuration_invalid` for values that cannot be meant.
    func check() throws(IdentityError) {
        if schema.isEmpty || schema.utf8.count > 40
            || !schema.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F })
        {
            throw Self.invalid("The store's schema must have 1 to 40 lower-case letters, digits and underscores.")
        }
        if !(512...1_048_576).contains(slotSize) {
            throw Self.invalid("The store's slot size must be between 512 and 1048576 bytes.")
        }
        if !(1...1_000).contains(maximumConnections) {
            throw Self.invalid("The store's number of connections must be between 1 and 1000.")
        }
        if case .lease(let duration) = locking, duration < .seconds(6) || duration > .seconds(15) {
            throw Self.invalid("A lease must last between 6 and 15 seconds.")
        }
        if case .advisory = locking, usesTransactionPooler, directConnection == nil {
            throw Self.invalid("Advisory locks need a direct connection beside the pooler.")
        }
        for limit in [callLimit, connectLimit, idleLimit] where limit < .milliseconds(10) || limit > .seconds(86_400) {
            throw Self.invalid("The store's limits of time must be between 10 milliseconds and a day.")
        }
    }

    private static func invalid(_ message: String) -> IdentityError {
        IdentityError(.configuration, .configurationInvalid, message)
    }
}
