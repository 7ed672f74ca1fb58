internal import IdentityCrypto
internal import IdentityKit
internal import IdentityStoreKit
internal import Synchronization

/// A store in a PostgreSQL database, for any number of processes on any number of machines.
///
/// Everything about a buyer is sealed with AES-256-GCM and bound to its row. In the clear stand the names of provider, tenant and
/// issuer, counters, expiry times and whether a renewal is under way; session ids, `state` values and subjects stand there only as
/// keyed hashes. What a call has saved survives the loss of power, as far as the server's `fsync` and its replication do.
///
/// A call that loses its connection, to a server that restarts or to a failover, is repeated on another one within its time. Where
/// it cannot be known whether a change took effect, the answer is an error of kind `retryLater`, never a guess.
public final class PostgresStore: Sendable {
    let client: Client
    let sql: Statements
    let records: Records
    let locking: Locking
    let leases: LeaseKeeper
    let advisoryLocks: AdvisoryLocks
    let channel: String?
    let maximumAttempts: Int
    let maximumUsedTokens: Int
    let clock: any IdentityClock
    /// How much was added since it was last counted.
    let counters = Mutex(Counters())
    let maximumSessionsPerTenant: Int?
    /// Nil where no directory was named.
    let spool: SessionSpool?

    struct Counters: Sendable {
        var attempts = TenantRoom()
        var sessions = TenantRoom()
        var usedTokens = Int.max
    }

    private init(_ configuration: Configuration, _ client: Client, _ records: Records, listens: Bool) {
        self.client = client
        self.records = records
        sql = Statements(schema: configuration.schema)
        locking = configuration.locking
        leases = LeaseKeeper(client: client, sql: sql)
        advisoryLocks = AdvisoryLocks(client: client, sql: sql)
        channel = listens ? configuration.channel : nil
        maximumAttempts = max(1, configuration.maximumAttempts)
        maximumUsedTokens = max(1, configuration.maximumUsedTokens)
        clock = configuration.clock
        maximumSessionsPerTenant = configuration.maximumSessionsPerTenant.map { max(1, $0) }
        spool = configuration.spoolDirectory.map {
            SessionSpool(path: $0, sealer: records.sealer, lookup: records.lookup)
        }
    }

    /// Opens a store, which is made where there is none.
    ///
    /// A server that takes no writes is good for reading; saves then fail with `store_read_only`.
    ///
    /// - Throws: `IdentityError` with `store_key_mismatch`, `store_too_new`, `store_corrupt` or `configuration_invalid` (connection
    ///   string, password, rights), each of which leaves the database as it is, or `store_unavailable`.
    public static func open(_ configuration: Configuration) async throws -> PostgresStore {
        try configuration.check()
        let directText =
            configuration.directConnection ?? (configuration.usesTransactionPooler ? nil : configuration.connection)
        let listens = configuration.listensForNotifications && directText != nil
        let isPooled = configuration.usesTransactionPooler
        let plan = try ConnectionPlan(configuration, configuration.connection, listensTo: nil, isPooled: isPooled)
        let directPlan = try directText.map {
            try ConnectionPlan(configuration, $0, listensTo: listens ? configuration.channel : nil, isPooled: false)
        }
        let settings = PoolSettings(
            connector: Connector(plan: plan, usesPooler: isPooled),
            directConnector: directPlan.map { Connector(plan: $0, usesPooler: false) },
            listens: listens,
            preparesStatements: !isPooled,
            maximumConnections: configuration.maximumConnections,
            idleLimit: configuration.idleLimit
        )
        let client: Client
        do {
            client = try Client(settings, callLimit: configuration.callLimit)
        } catch {
            throw error.identityError
        }
        do {
            let records = try await openRecords(configuration, client)
            return PostgresStore(configuration, client, records, listens: listens)
        } catch {
            await client.close()
            throw (error as? PostgresFailure)?.identityError ?? error
        }
    }

    /// Ends all connections; calls that are under way, and those after it, fail.
    public func close() async {
        await client.close()
    }

    // MARK: Opening

    /// What is there is looked at before anything is written: a store of a newer version, or under another key, stays untouched.
    private static func openRecords(_ configuration: Configuration, _ client: Client) async throws -> Records {
        let sql = Statements(schema: configuration.schema)
        let keys = KeyRing(active: configuration.key, readOnly: configuration.readOnlyKeys)
        let header = try await client.repeating { deadline, _ in
            try await StoreHeader(sql) { try await client.perform($0, [], needsWriting: false, by: deadline) }
        }
        // Keys are looked at before anything is changed.
        if let header, case let lookup = try header.lookupKey(openedBy: keys), !header.needsUpgrade(for: keys) {
            return Records(sealer: header.sealer(keys), lookup: lookup)
        }
        if header == nil, !configuration.createsStore {
            throw IdentityError(
                .configuration,
                .configurationInvalid,
                "There is no store in the schema, and it was not to be made.",
                hint: "Check the database and the schema, or allow that the store is made (`createsStore`)."
            )
        }
        try await client.repeating(for: .seconds(60)) { deadline, _ in
            try await client.transaction(by: deadline) { transaction in
                // One opener at a time; the lock goes with the transaction.
                _ = try await transaction.run(Statement("SET LOCAL statement_timeout = '60s'"))
                _ = try await transaction.run(
                    Statement("SELECT pg_advisory_xact_lock($1)", [.integer]),
                    .integer(try migrationLock(configuration.schema))
                )
                if let header = try await StoreHeader(sql, { try await transaction.run($0) }) {
                    _ = try header.lookupKey(openedBy: keys)
                    try await header.upgrade(transaction, sql, keys)
                } else {
                    try await StoreHeader.create(transaction, sql, keys, slotSize: configuration.slotSize)
                }
            }
        }
        let made = try await client.repeating { deadline, _ in
            try await StoreHeader(sql) { try await client.perform($0, [], needsWriting: false, by: deadline) }
        }
        guard let made else { throw IdentityError.storeCorrupt("The store vanished while it was made.") }
        return Records(sealer: made.sealer(keys), lookup: try made.lookupKey(openedBy: keys))
    }

    /// The advisory lock that all openers of a schema share, whatever their version.
    private static func migrationLock(_ schema: String) throws -> Int64 {
        let key = SecretBytes(Array("IdentityKit store migration".utf8))
        return rowKey(try HMACSHA256.authenticationCode(for: Array(schema.utf8), key: key))
    }
}
