#if PostgreSQL
public import IdentityKit
public import IdentityStoreKit

extension PostgresStore {
    /// How a lock is implemented.
    public enum Locking: Sendable {
        /// A lease of this length: a row in the database that the holder renews while it has the lock.
        ///
        /// A lease works behind a pooler. After the holder's process has crashed, other callers must wait until its lease ends.
        case lease(Duration = .seconds(12))
        /// A session-level advisory lock of PostgreSQL on the direct connection.
        ///
        /// The server releases the lock when it notices the end of the connection.
        case advisory
    }

    /// The location of a store and its options.
    public struct Configuration: Sendable {
        /// The connection string: a `postgresql://` URL, or libpq's keywords and values.
        ///
        /// Errors and logs never contain the string. It may name several hosts (`host1,host2`). Unlike libpq, the store uses the first host
        /// that accepts writes. If no host accepts writes, the store uses the first readable host, and only reads work. With
        /// `target_session_attrs=read-write` or `primary`, the store never uses a read-only host.
        ///
        /// For a host on another machine, `sslmode` is by default `verify-full`. A weaker mode needs ``allowsUnverifiedTLS``.
        public var connection: Secret
        /// The key that encrypts the records.
        public var key: StoreKey
        /// Further keys, which only decrypt existing records; a key rotation needs them.
        public var readOnlyKeys: [StoreKey]
        /// The schema of the tables, by default `identitykit`.
        ///
        /// Its name has 1 to 40 lower-case letters (a to z), digits and underscores. A missing schema is created, unless ``createsStore``
        /// is false.
        public var schema = "identitykit"
        /// Whether a missing store is created, by default true.
        ///
        /// Set it to false in production. Then opening fails with `configuration_invalid` if the store is missing, for example because the
        /// schema is lost or its name is wrong. With true, opening would create an empty store, and no buyer would be signed in. Even with
        /// true, opening fails if the store is missing and ``spoolDirectory`` contains sessions.
        public var createsStore = true
        /// The length of a record in bytes, 512 to 1,048,576, by default 7,680.
        ///
        /// A new store saves this value. An existing store keeps the value with which it was created. A record that does not fit gets 2, 4,
        /// 8 or 16 times this length.
        public var slotSize = 7_680
        /// Whether ``connection`` goes through a pooler in transaction mode (PgBouncer: `pool_mode = transaction`), by default false.
        ///
        /// With true, the store prepares no statements, and changes no setting of a pooled connection for longer than a transaction.
        public var usesTransactionPooler = false
        /// A connection string that goes directly to the server, for notifications and advisory locks.
        ///
        /// With nil, the default, ``connection`` is used, or no direct connection if ``usesTransactionPooler`` is true.
        public var directConnection: Secret?
        /// Whether a notification wakes callers that wait for a lock (LISTEN on the direct connection), by default true.
        ///
        /// The setting has no effect without a direct connection. All callers also poll, so a lost notification only delays the callers.
        public var listensForNotifications = true
        /// How locks are implemented, by default as leases of 12 seconds; a lease may last 6 to 15 seconds.
        public var locking = Locking.lease()
        /// Whether the connection string may set an `sslmode` weaker than `verify-full` for a host on another machine, by default false.
        public var allowsUnverifiedTLS = false
        /// The maximum number of open connections, not counting the direct connection: 1 to 1,000, by default 8.
        public var maximumConnections = 8
        /// The time limit of a call to the database, including the wait for a connection, by default 5 seconds.
        public var callLimit: Duration = .seconds(5)
        /// The time limit for connecting to one server, by default 5 seconds; `connect_timeout` in the connection string overrides it.
        ///
        /// The look-up of the server's name does not count. If the connection string names several hosts and no `connect_timeout`, another
        /// limit also applies to each host: `callLimit / (number of hosts + 1)`, but at least one second. The shorter of the two limits is
        /// used, so that a host that does not respond leaves time for the next host.
        public var connectLimit: Duration = .seconds(5)
        /// The time after which an unused connection of the pool is closed, by default 5 minutes.
        public var idleLimit: Duration = .seconds(300)
        /// The maximum number of pending logins of each tenant, by default 10,000; above it, the first logins to expire are removed.
        ///
        /// A limit below 256 is exact, except for calls at the same moment. With a limit of 256 or more, each process may exceed it by less
        /// than one percent.
        public var maximumAttempts = 10_000
        /// The maximum number of sessions of a tenant, by default nil, which means no limit.
        ///
        /// At the limit, saving a new session fails with `store_full`, of kind `retryLater`, unless it replaces another session. The limit
        /// may be exceeded in the same way as ``maximumAttempts``.
        public var maximumSessionsPerTenant: Int?
        /// The spool: a directory on this machine for sessions that cannot be saved in the database.
        ///
        /// With nil, the default, new tokens that cannot be saved are kept only in memory. Opening the store fails if the directory cannot
        /// be used, or if it does not exist and cannot be created.
        public var spoolDirectory: String?
        /// The maximum number of tokens that are marked as used, such as logout tokens, by default 100,000.
        ///
        /// At the limit, expired marks are removed. If no mark has expired, ``PostgresStore/markUsed(_:until:)`` fails with `store_full`.
        /// The limit may be exceeded in the same way as ``maximumAttempts``.
        public var maximumUsedTokens = 100_000
        /// The clock for the expiry of sessions in the spool, and of marks of used tokens.
        ///
        /// The store removes a mark only if the mark has also expired by the database's clock. A sweep compares the marks with the date
        /// that is passed to the sweep, and not with this clock.
        public var clock: any IdentityClock = SystemClock()

        /// Creates a configuration.
        public init(connection: Secret, key: StoreKey, readOnlyKeys: [StoreKey] = []) {
            self.connection = connection
            self.key = key
            self.readOnlyKeys = readOnlyKeys
        }
    }
}

extension PostgresStore.Configuration {
    /// The channel for notifications about released locks, a name that SQL accepts without quotes.
    var channel: String { "identitykit_\(schema)" }

    func check() throws(IdentityError) {
        let problem: String? =
            if schema.isEmpty || schema.utf8.count > 40
                || !schema.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F })
            {
                "The store's schema must have 1 to 40 lower-case letters (a to z), digits and underscores."
            } else if !(512...1_048_576).contains(slotSize) {
                "The store's slotSize must be between 512 and 1048576 bytes."
            } else if !(1...1_000).contains(maximumConnections) {
                "The store's maximumConnections must be between 1 and 1000."
            } else if case .lease(let duration) = locking, duration < .seconds(6) || duration > .seconds(15) {
                "With `locking = .lease(duration)`, the duration must be from 6 to 15 seconds."
            } else if case .advisory = locking, usesTransactionPooler, directConnection == nil {
                "With usesTransactionPooler, advisory locks need a directConnection that does not use the pooler."
            } else if [callLimit, connectLimit, idleLimit].contains(where: {
                $0 < .milliseconds(10) || $0 > .seconds(86_400)
            }) {
                "The store's callLimit, connectLimit and idleLimit must be between 10 milliseconds and one day."
            } else {
                nil
            }
        guard let problem else { return }
        throw IdentityError(
            configuration: problem,
            hint: "Correct the store's configuration: Documentation/Operating/PostgreSQL.md describes its settings."
        )
    }
}

extension PostgresStore.Configuration {
    /// Reads the section `store` of a configuration file.
    ///
    /// The members are `postgres`, `key`, `readOnlyKeys`, `schema`, `usesTransactionPooler`, `direct`, `allowsUnverifiedTLS` and `spool`.
    /// If `key` is missing, the environment variable `IDENTITY_STORE_KEY` contains the key.
    ///
    /// - Throws: `IdentityError` when `section` is nil, when `postgres` or the key is missing, when a member is unknown or invalid, or when
    ///   the section contains `path`, which names a SQLite file.
    public init(_ section: ConfigurationSection?) throws {
        guard var section else { throw IdentityError.missingStoreSection }
        if section.memberNames.contains(where: { $0.isIdentical(to: "path") }) {
            throw section.error(
                "path",
                "names a SQLite file, and this app opens a PostgreSQL database",
                hint: "Remove store.path and set store.postgres, or open a `SQLiteStore` in the app."
            )
        }
        try section.check(members: [
            "postgres", "key", "readOnlyKeys", "schema", "usesTransactionPooler", "direct", "allowsUnverifiedTLS",
            "spool",
        ])
        var optional: ConfigurationSection? = section
        let keys = try StoreKeys(&optional)
        guard let connection = try section.optionalSecretOrText("postgres") else {
            throw section.error("postgres", "is missing")
        }
        self.init(connection: connection, key: keys.active)
        readOnlyKeys = keys.readOnly
        if let name = try section.optionalString("schema") { schema = name }
        usesTransactionPooler = try section.bool("usesTransactionPooler", default: false)
        directConnection = try section.optionalSecretOrText("direct")
        allowsUnverifiedTLS = try section.bool("allowsUnverifiedTLS", default: false)
        spoolDirectory = try section.optionalString("spool")
    }
}

extension PostgresStore {
    /// Opens a store with keys from a source, which is asked once.
    ///
    /// - Parameters:
    ///   - connection: A `postgresql://` URL or libpq's keywords and values.
    ///   - source: The source of the keys.
    ///   - change: A function that changes further options.
    /// - Returns: The opened store.
    /// - Throws: The source's `IdentityError` or cancellation, `store_key_unavailable` for its other errors, or an error of ``open(_:)``.
    public static func open(
        connection: Secret,
        keys source: some StoreKeySource,
        configuring change: (inout Configuration) -> Void = { _ in }
    ) async throws -> PostgresStore {
        let keys = try await source.loadedKeys()
        var configuration = Configuration(connection: connection, key: keys.active, readOnlyKeys: keys.readOnly)
        change(&configuration)
        return try await open(configuration)
    }
}
#endif
