internal import Dispatch
internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit
internal import IdentityPlatform
internal import IdentityStoreKit
internal import Synchronization

/// Keeps pending logins until the machine restarts, in a file that is never synchronized with the disk (`fsync`).
///
/// So a call usually takes only some microseconds, and runs on the caller's thread (``direct(_:)``) or otherwise on `queue`.
final class LoginFile: Sendable {
    private struct State {
        var table: LoginFileTable?
        var isClosed = false
        var resumesAt = Duration.zero
    }

    let records: StoreRecords
    /// The database whose table `quarantine` receives damaged logins.
    let database: Database
    private let directory: String
    private let name: String
    private let clock: any IdentityClock
    private let wait: Duration
    /// Returns the number of the current thread's voluntary context switches, for example waits for the disk.
    private let waits: @Sendable () -> Int
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "IdentitySQLite logins")

    /// Opens no file; the first call that uses the file opens or creates it.
    init(
        boot: String,
        of store: OpenedStore,
        _ database: Database,
        _ configuration: SQLiteStore.Configuration,
        waits: @escaping @Sendable () -> Int = Platform.threadWaits
    ) {
        directory = store.location.logins
        self.database = database
        name = "\(Hexadecimal.encode(store.id))-\(boot).1"
        records = store.records.withSlotSize(LoginFileTable.recordSize)
        clock = configuration.clock
        wait = configuration.lockWait
        self.waits = waits
    }

    func close() {
        state.withLock { $0 = State(isClosed: true) }
    }

    // MARK: Calls

    /// Adds a login; false if its record is too long or the file has no free entry for it.
    ///
    /// If the result is false, the caller must store the login in the database. An earlier login with the same key was then removed from
    /// the file, because ``take(_:after:)`` would return that login instead of the new one.
    func insert(_ attempt: StoredLoginAttempt, maximum: Int) async throws -> Bool {
        let length = attempt.payload.count + attempt.key.utf8.count + Self.lengthOfOtherFields
        let row = length <= records.sealer.slotCapacity ? try records.seal(attempt) : nil
        let hash = try row?.hash ?? records.hash(ofLoginAttempt: attempt.key)
        return try await use { table in
            if let row, try table.insert(row, maximum: maximum) { return true }
            try table.remove(hash)
            return false
        }
    }

    /// An upper limit for the bytes that a record needs for the expiry time and the lengths of its fields.
    private static let lengthOfOtherFields = 32

    func take(
        _ key: String,
        after check: @escaping @Sendable (StoredLoginAttempt) throws -> Void
    ) async throws -> StoredLoginAttempt? {
        let hash = try records.hash(ofLoginAttempt: key)
        return try await use { [records] table in
            guard let row = try table.row(hash) else { return nil }
            let attempt = try records.open(row, of: key)
            try check(attempt)
            try table.remove(hash)
            return attempt
        }
    }

    func sweep(expiredBefore date: Date) async throws -> Int {
        try await use { table in
            let expired = try table.entries().filter { $0.expiresAt < date }
            for entry in expired { try table.remove(entry) }
            return expired.count
        }
    }

    /// The id of the store key of each login; a login whose record contains no id is omitted.
    func keyIDs() async throws -> [String] {
        try await use { table in try table.entries().compactMap { StoreRecords.keyID(of: try table.row($0).record) } }
    }

    /// Runs a body while no other caller and no other process uses the file.
    ///
    /// Throws `store_busy` if other processes use the file for longer than the store's `lockWait`.
    func use<R: Sendable>(_ body: @escaping @Sendable (LoginFileTable) throws -> R) async throws -> R {
        let deadline = clock.elapsed + wait
        while true {
            if let result = try direct(body) { return result }
            if let result = try await onOwnThread(body) { return result }
            guard clock.elapsed < deadline else { throw IdentityError.storeBusy() }
            try await clock.pause(for: Jitter.duration(from: .microseconds(200), to: .milliseconds(2)))
        }
    }

    // MARK: Threads

    /// Runs a body on the caller's thread; nil if the body did not run.
    ///
    /// The body does not run if the file is not open, another caller or process uses it, or the disk was slow a short time ago.
    func direct<R: Sendable>(_ body: @Sendable (LoginFileTable) throws -> R) throws -> R? {
        let result = try state.withLockIfAvailable { state -> R? in
            let (begun, waitsBefore) = (clock.elapsed, waits())
            guard state.table != nil, begun >= state.resumesAt else { return nil }
            defer {
                let end = clock.elapsed
                if end - begun >= DirectReader.slowRead, waits() != waitsBefore {
                    state.resumesAt = end + (end - begun) * DirectReader.pause
                }
            }
            return try run(body, &state)
        }
        return result ?? nil
    }

    private func onOwnThread<R: Sendable>(_ body: @escaping @Sendable (LoginFileTable) throws -> R) async throws -> R? {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in
                continuation.resume(with: Result { try state.withLock { try run(body, &$0) } })
            }
        }
    }

    /// Runs a body and returns its result; nil if another process uses the file.
    private func run<R: Sendable>(_ body: (LoginFileTable) throws -> R, _ state: inout State) throws -> R? {
        guard !state.isClosed else { throw IdentityError.storeClosed }
        // If the file was removed, other processes create a new file. This process must open the new file to see their logins.
        if state.table?.isRemoved != false { state.table = try open() }
        return try state.table?.exclusively(body) ?? nil
    }

    // MARK: The directory

    private func open() throws(IdentityError) -> LoginFileTable {
        if unsafe mkdir(directory, 0o700) != 0, errno != EEXIST { throw .logins("cannot be created", errno) }
        try StoreLocation.checkDirectory(directory)
        let path = "\(directory)/\(name)"
        _ = try StoreLocation.check(path)
        let table = try LoginFileTable(path)
        removeOthers()
        return table
    }

    /// Removes the files of earlier boots, and the files of another store that was at this path before.
    private func removeOthers() {
        for file in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
            guard file.utf8.count == name.utf8.count, !file.isIdentical(to: name) else { continue }
            _ = unsafe unlink("\(directory)/\(file)")
        }
    }
}
