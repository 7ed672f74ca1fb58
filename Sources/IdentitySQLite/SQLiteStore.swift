internal import FoundationEssentials
internal import IdentityKit
internal import IdentityStoreKit

/// A store in one SQLite file, for any number of processes on one machine.
///
/// Everything about a buyer is sealed with AES-256-GCM and bound to its row. In the clear stand the names of provider, tenant and
/// issuer, counters and expiry times; session ids, `state` values and subjects stand there only as keyed hashes. What a call has
/// saved survives the loss of power, and a save in place works on a full disk too. A row that cannot be opened makes calls for
/// that session fail and stays where it is; a list of all leaves it out, one of its buyer fails, and ``checkHealth()`` counts it.
///
/// Open the file with one store per process. Do not copy it while it is in use, and keep other programs from writing to it.
public final class SQLiteStore: Sendable {
    let database: Database
    let sealer: RecordSealer
    let lookup: LookupKey
    let location: StoreLocation
    let clock: any IdentityClock
    let sessionLocks: SessionLocks
    /// The second place for sessions that the file does not take.
    let spool: SessionSpool
    /// Whether the file is a restored backup that cannot be written, so that its sessions cannot be marked.
    let isCopy: Bool
    let maximumAttempts: Int
    let maximumSessionsPerTenant: Int?
    let maximumUsedTokens: Int

    private init(_ database: Database, _ opened: OpenedStore, _ configuration: Configuration) {
        self.database = database
        sealer = opened.sealer
        lookup = opened.lookup
        location = opened.location
        clock = configuration.clock
        sessionLocks = SessionLocks(path: opened.location.locks)
        spool = SessionSpool(path: opened.location.spool, sealer: opened.sealer, lookup: opened.lookup)
        isCopy = opened.isCopy
        maximumAttempts = configuration.maximumAttempts
        maximumSessionsPerTenant = configuration.maximumSessionsPerTenant.map { max(1, $0) }
        maximumUsedTokens = max(1, configuration.maximumUsedTokens)
    }

    /// Opens a store, which is made where there is none unless ``Configuration/createsStore`` forbids it.
    ///
    /// A file that cannot be written is opened for reading; saves then fail with `store_read_only`.
    ///
    /// - Throws: `IdentityError` with `store_key_mismatch`, `store_too_new`, `store_corrupt`, `store_read_only` or
    ///   `configuration_invalid` (rights too wide, foreign owner, file missing), each of which leaves the file as it is, or `store_busy`.
    public static func open(_ configuration: Configuration) async throws -> SQLiteStore {
        let database = Database(clock: configuration.clock, wait: configuration.lockWait)
        return SQLiteStore(database, try await database.open(configuration), configuration)
    }

    /// Finishes the saves that wait, then closes the file; calls after it fail.
    public func close() async {
        await database.close()
    }

    /// The integer key of a row, from its keyed hash.
    static func key(_ hash: [UInt8]) -> Int64 {
        Int64(hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 1)
    }
}

extension Value {
    /// The exact time; as a real it always has eight bytes.
    static func date(_ date: Date) -> Value { .real(date.timeIntervalSinceReferenceDate) }

    /// The integer key of a row.
    static func key(_ hash: [UInt8]) -> Value { .integer(SQLiteStore.key(hash)) }
}
