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
/// Sessions, their attachments and pending logins are encrypted with AES-256-GCM, and each record is bound to its row. These values are not
/// encrypted: the names of provider, tenant and issuer, generations, revisions and times, whether a refresh is in progress or in doubt, and
/// whether a session was restored from a backup. Session ids, `state` values and subjects appear outside of the encrypted records only as
/// keyed hashes.
///
/// A saved session survives a loss of power. New tokens that fit into the row of their session can usually be saved on a full disk too.
/// Pending logins are by default in a file beside the database, and a restart of the machine discards them.
///
/// If the row of a session cannot be decrypted, reading or removing the session fails. A list of all sessions omits this session. A list of
/// its buyer's sessions fails. ``checkHealth()`` counts the row.
///
/// Open the database file with one store per process. Use ``backup(to:)`` to copy the file while it is in use. Do not let other programs
/// write to it.
public final class SQLiteStore: Sendable {
    let database: Database
    let records: StoreRecords
    let location: StoreLocation
    let clock: any IdentityClock
    /// The locks between the tasks of this process; tasks get a lock in the order of their requests.
    let taskLocks: InMemoryLocks
    let sessionLocks: SessionLocks
    let spool: SessionSpool
    /// Whether the file is a backup that cannot be written.
    ///
    /// The sessions of such a backup cannot be marked as restored in the file, so the store marks each session when it is read.
    let isCopy: Bool
    /// The file of the pending logins since the last restart of the machine; nil if the database keeps all pending logins.
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
        logins = Self.loginFile(of: opened, database, configuration)
        maximumAttempts = max(1, configuration.maximumAttempts)
        maximumSessionsPerTenant = configuration.maximumSessionsPerTenant.map { max(1, $0) }
        maximumUsedTokens = max(1, configuration.maximumUsedTokens)
    }

    /// Opens a store, and creates a missing store unless ``Configuration/createsStore`` is false.
    ///
    /// If the file or its directory has no write permission, the store is opened for reading; saves then fail with `store_read_only`.
    ///
    /// - Throws: `IdentityError`. The store's data was not changed if the code is `store_key_mismatch`, `store_too_new`, `store_corrupt`,
    ///   `store_read_only` or `configuration_invalid`. Causes of `configuration_invalid` are for example too wide permissions or a missing
    ///   file. Other codes are for example `store_busy`, `store_full` and `store_failed`.
    public static func open(_ configuration: Configuration) async throws -> SQLiteStore {
        let database = Database(clock: configuration.clock, wait: configuration.lockWait)
        return SQLiteStore(database, try await database.open(configuration), configuration)
    }

    /// The file of pending logins; nil if the database keeps all pending logins.
    ///
    /// A restart can damage the file, and only a new boot id shows that the machine was restarted. So the file is used only if the boot id
    /// is known. It is not used in a directory that may be on another machine, because a restart of that machine does not change this id.
    private static func loginFile(
        of opened: OpenedStore,
        _ database: Database,
        _ configuration: Configuration
    ) -> LoginFile? {
        guard !configuration.savesPendingLoginsDurably, opened.isWritable, !opened.mayBeRemote,
            let boot = configuration.bootID()
        else { return nil }
        return LoginFile(boot: boot, of: opened, database, configuration)
    }

    /// Closes the file of pending logins, then completes the queued calls to the database and closes it.
    ///
    /// Later calls that use the database or the file of pending logins fail. The spool still works, so that a running refresh can keep its
    /// tokens. Therefore the keys stay in memory until the app releases the store.
    public func close() async {
        logins?.close()
        await database.close()
    }
}
