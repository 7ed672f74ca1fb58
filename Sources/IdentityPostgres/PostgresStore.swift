#if PostgreSQL
internal import IdentityCrypto
internal import IdentityKit
internal import IdentityStoreKit
internal import Synchronization

/// A store in a PostgreSQL database, for any number of processes on any number of machines.
///
/// ```swift
/// let key = try StoreKey(hexadecimal: Secret(ProcessInfo.processInfo.environment["IDENTITY_STORE_KEY"] ?? ""))
/// let connection = Secret(ProcessInfo.processInfo.environment["DATABASE_URL"] ?? "")
/// let store = try await PostgresStore.open(PostgresStore.Configuration(connection: connection, key: key))
/// let sessions = SessionManager(providers: providers, store: store, environment: environment)
/// ```
///
/// Sessions, their attachments and pending logins are encrypted with AES-256-GCM, and each record is bound to its row. These values are not
/// encrypted: the names of provider, tenant and issuer, generations, revisions and times, whether a refresh is in progress or in doubt, and
/// whether a session was restored from a backup. Session ids, `state` values and subjects appear outside of the encrypted records only as
/// keyed hashes. A saved change survives a loss of power as far as the server's `fsync` and its replication allow.
///
/// A call that loses its connection, for example because the server restarts or fails over, is repeated on another connection within its
/// time limit. When it is unknown whether a change took effect, the call throws an error of kind `retryLater`.
public final class PostgresStore: Sendable {
    let client: Client
    let sql: Statements
    let records: StoreRecords
    let locking: Locking
    let leases: LeaseLocks
    let advisoryLocks: AdvisoryLocks
    let channel: String?
    let maximumAttempts: Int
    let maximumUsedTokens: Int
    let clock: any IdentityClock
    /// Counts the rows that this process adds, to decide when it must count the rows in the database again.
    let counters = Mutex(Counters())
    let maximumSessionsPerTenant: Int?
    /// Keeps new tokens while the database cannot be written; nil if no spool directory is configured.
    let spool: SessionSpool?

    struct Counters: Sendable {
        var attempts = TenantRowCounter()
        var sessions = TenantRowCounter()
        var usedTokens = Int.max
    }

    private init(_ configuration: Configuration, _ client: Client, _ records: StoreRecords, _ channel: String?) {
        self.client = client
        self.records = records
        sql = Statements(schema: configuration.schema)
        locking = configuration.locking
        leases = LeaseLocks(client: client, sql: sql)
        advisoryLocks = AdvisoryLocks(client: client, sql: sql)
        self.channel = channel
        maximumAttempts = max(1, configuration.maximumAttempts)
        maximumUsedTokens = max(1, configuration.maximumUsedTokens)
        clock = configuration.clock
        maximumSessionsPerTenant = configuration.maximumSessionsPerTenant.map { max(1, $0) }
        spool = configuration.spoolDirectory.map { SessionSpool(path: $0, records: records) }
    }

    /// Opens a store, and creates a missing store unless ``Configuration/createsStore`` is false.
    ///
    /// A store on a server that accepts no writes can be read; saves then fail with `store_read_only`.
    ///
    /// - Throws: `IdentityError`. With code `store_key_mismatch`, `store_too_new`, `store_corrupt` or `configuration_invalid` (for example
    ///   a wrong connection string or password), this call did not change the database, unless another program removed the tables during
    ///   the call. With code `store_read_only`, the server accepts no writes, but this call must create the store or add the lookup key for
    ///   a new active key. Other codes are for example `store_unavailable` and `store_busy`.
    public static func open(_ configuration: Configuration) async throws -> PostgresStore {
        try configuration.check()
        if let path = configuration.spoolDirectory { try SpoolDirectory(path: path, maximumFileSize: 0).check() }
        let isPooled = configuration.usesTransactionPooler
        let direct = configuration.directConnection ?? (isPooled ? nil : configuration.connection)
        let channel = configuration.listensForNotifications && direct != nil ? configuration.channel : nil
        let plan = try ConnectionPlan(configuration, configuration.connection, listensTo: nil, isPooled: isPooled)
        let directPlan: ConnectionPlan?
        do {
            directPlan = try direct.map { try ConnectionPlan(configuration, $0, listensTo: channel, isPooled: false) }
        } catch let error as IdentityError {
            throw error.recast(message: "directConnection (store.direct): \(error.message)")
        }
        let settings = PoolSettings(
            plan: plan,
            directPlan: directPlan,
            listens: channel != nil,
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
            return PostgresStore(configuration, client, records, channel)
        } catch {
            await client.close()
            throw (error as? PostgresFailure)?.identityError ?? error
        }
    }

    /// Closes all connections.
    ///
    /// Running and later calls to the database fail with `store_failed`. The keys are wiped from memory when the app releases the store.
    public func close() async {
        await client.close()
    }

    // MARK: Opening

    /// Reads the header before the first write, so that a store of another version or with another key is not changed.
    private static func openRecords(_ configuration: Configuration, _ client: Client) async throws -> StoreRecords {
        let sql = Statements(schema: configuration.schema)
        let keys = StoreKeys(active: configuration.key, readOnly: configuration.readOnlyKeys)
        if let header = try await readHeader(sql, client) {
            let records = try header.records(openedWith: keys)
            if try header.missingLookupKey(for: keys) == nil { return records }
        } else {
            try refuseToCreate(configuration)
        }
        try await client.repeating(for: .seconds(60)) { deadline, _ in
            try await client.transaction(by: deadline) { transaction in
                // One process at a time creates the tables or updates the header. The advisory lock ends with the transaction.
                _ = try await transaction.run(Statement("SET LOCAL statement_timeout = '60s'"))
                _ = try await transaction.run(
                    Statement("SELECT pg_advisory_xact_lock($1)", [.integer]),
                    .integer(try openingLock(configuration.schema))
                )
                if let header = try await Schema.header(sql, { try await transaction.run($0) }) {
                    if let record = try header.missingLookupKey(for: keys) {
                        try await Schema.insertLookupKey(record, keys, transaction, sql)
                    }
                } else {
                    try await Schema.create(transaction, sql, keys, slotSize: configuration.slotSize)
                }
            }
        }
        guard let header = try await readHeader(sql, client) else {
            // The message of `storeCorrupt(_:cause:)` says that nothing was changed. But this call may have created the tables.
            throw IdentityError(
                storeCorrupt:
                    "The store's tables in the schema \"\(configuration.schema)\" were removed while the store was opened.",
                hint: "Find out which program drops the tables or the schema, then open the store again."
            )
        }
        return try header.records(openedWith: keys)
    }

    private static func readHeader(_ sql: Statements, _ client: Client) async throws -> StoreHeader? {
        try await client.repeating { deadline, _ in
            try await Schema.header(sql) { try await client.perform($0, [], needsWriting: false, by: deadline) }
        }
    }

    /// Throws if the configuration forbids a new store, or if the spool contains sessions of a lost store.
    private static func refuseToCreate(_ configuration: Configuration) throws {
        if let path = configuration.spoolDirectory {
            try SessionSpool.refuseOrphaned(at: path, missing: "store in the schema \"\(configuration.schema)\"")
        }
        guard configuration.createsStore else {
            throw IdentityError(
                configuration:
                    "There is no store in the schema \"\(configuration.schema)\", and createsStore is false.",
                hint: """
                    Check the database in the connection string, and the schema. For a new store, set createsStore to true in the app for \
                    the first start, or run identity-lab login.
                    """
            )
        }
    }

    /// The key of the advisory lock for changes to a schema's tables; the key must stay the same in every version of the program.
    private static func openingLock(_ schema: String) throws -> Int64 {
        let key = SecretBytes(Array("IdentityKit store migration".utf8))
        return StoreRecords.rowKey(try HMACSHA256.authenticationCode(for: Array(schema.utf8), key: key))
    }
}
#else
/// The session store in PostgreSQL, which this build does not contain.
@available(
    *,
    unavailable,
    message: "Switch on the trait PostgreSQL of the package: .package(…, traits: [\"PostgreSQL\"])"
)
public enum PostgresStore {}
#endif
