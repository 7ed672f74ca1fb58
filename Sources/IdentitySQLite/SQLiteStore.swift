internal import FoundationEssentials
internal import IdentityKit
internal import IdentityStoreKit

/// A store in one SQLite file, for any number of processes on one machine.
///
/// ```swift
/// let key = try StoreKey(hexadecimal: Secret(ProcessInfo.processInfo.environment["IDENTITY_STORE_KEY"] ?? ""))
/// let store = try await SQLiteStore.open(SQLiteStore.Configuration(path: "/var/lib/shop/identity.sqlite", key: key))
/// let sessions = SessionManager(providers: providers, store: store, environment: environment)
/// ```
///
/// Everything about a buyer is encrypted with AES-256-GCM and bound to its row. The names of provider, tenant and issuer, counters and
/// expiry times are in the clear; session ids, `state` values and subjects are stored only as keyed hashes. A saved session survives a
/// loss of power, and a save in place also works on a full disk. Pending logins are in a file beside it, until the machine restarts. When
/// a row cannot be opened, calls for that session fail and the row stays where it is; a list of all sessions leaves it out, a list of its
/// buyer's sessions fails, and ``checkHealth()`` counts it.
///
/// Open the file with one store per process. Do not copy it while it is in use, and do not let other programs write to it.
public final class SQLiteStore: Sendable {
    let database: Database
    let records: StoreRecords
    let location: StoreLocation
    let clock: any IdentityClock
    /// The locks among the tasks of this process, which get them in the order of their requests.
    let taskLocks: InMemoryLocks
    let sessionLocks: SessionLocks
    /// Keeps new tokens while the file cannot be written.
    let spool: SessionSpool
    /// Whether the file is a restored backup that cannot be written, so that its sessions cannot be marked.
    let isCopy: Bool
    /// The pending logins of this boot; nil if the database keeps all of them.
    let logins: LoginFile?
    let maximumAttempts: Int
    let maximumSessionsPerTenant: Int?
    let maximumUsedTokens: Int

    private init(_ database: Database, _ opened: OpenedStore, _ configuration: Configuration) {
        self.database = database
        records = opened.records
        location = opened.location
        clock = configuration.clock
        taskLocks = InMemoryLocks(clock: configuration.clock)
        sessionLocks = SessionLocks(path: opened.location.locks)
        spool = SessionSpool(path: opened.location.spool, records: opened.records)
        isCopy = opened.isCopy
        logins = Self.loginFile(of: opened, configuration)
        maximumAttempts = configuration.maximumAttempts
        maximumSessionsPerTenant = configuration.maximumSessionsPerTenant.map { max(1, $0) }
        maximumUsedTokens = max(1, configuration.maximumUsedTokens)
    }

    /// Opens a store.
    ///
    /// A store that does not exist is created, unless ``Configuration/createsStore`` is false.
    ///
    /// A file that cannot be written is opened for reading; saves then fail with `store_read_only`.
    ///
    /// - Throws: `IdentityError` with `store_key_mismatch`, `store_too_new`, `store_corrupt`, `store_read_only` or
    ///   `configuration_invalid` (permissions too wide, file of another user, file missing), all of which leave the file unchanged, or
    ///   `store_busy`, `store_full` or `store_failed`.
    public static func open(_ configuration: Configuration) async throws -> SQLiteStore {
        let database = Database(clock: configuration.clock, wait: configuration.lockWait)
        return SQLiteStore(database, try await database.open(configuration), configuration)
    }

    /// The file of pending logins; nil on request, if the boot is not known, and if the store may be on another machine, which restarts at
    /// another time.
    private static func loginFile(of opened: OpenedStore, _ configuration: Configuration) -> LoginFile? {
        guard !configuration.savesPendingLoginsDurably, opened.isWritable, !opened.mayBeRemote,
            let boot = configuration.bootID()
        else { return nil }
        return LoginFile(in: opened.location.logins, boot: boot, of: opened, configuration)
    }

    /// Completes the queued saves, then closes the file.
    ///
    /// Calls after it fail.
    public func close() async {
        logins?.close()
        await database.close()
    }
}
