internal import Dispatch
public import FoundationEssentials
internal import IdentityCrypto
public import IdentityKit

/// The spool of a store: a local directory that keeps new tokens while the store is down, one file for each session.
///
/// A file contains ``SealedSession/bytes``, so it is encrypted like the row in the store. Files are read and written on a separate queue,
/// because a slow disk must not block a thread of Swift's cooperative pool.
///
/// ```swift
/// extension MyStore: SessionSpooling {
///     func spool(_ session: StoredSession) async throws { try await spool.keep(session) }
///     func spooledSession(_ id: SessionID) async throws -> StoredSession? { try await spool.session(id) }
///     func spooledSessions() async throws -> [StoredSession] { try await spool.sessions() }
///     func removeSpooledSession(_ id: SessionID) async throws { try await spool.remove(id) }
/// }
/// ```
public final class SessionSpool: Sendable {
    /// The maximum size of a file without its record, in bytes: the names of tenant, provider and issuer, and hashes.
    private static let maximumHeader = 65_536

    private let directory: SpoolDirectory
    private let records: StoreRecords
    private let queue = DispatchQueue(label: "IdentityKit.spool")

    /// Creates a spool; the directory itself is created when the first session is kept.
    ///
    /// - Parameters:
    ///   - path: The directory. An existing directory must belong to the process's user and have mode 0700 or stricter.
    ///   - records: The object that seals the rows of the store.
    public init(path: String, records: StoreRecords) {
        directory = SpoolDirectory(path: path, maximumFileSize: records.sealer.longestRecord + Self.maximumHeader)
        self.records = records
    }

    /// Throws if the spool contains files of sessions; call this method before you create an empty store.
    ///
    /// These files belong to sessions of a database that was lost or moved, and an empty store cannot read them.
    ///
    /// - Parameters:
    ///   - path: The directory of the spool.
    ///   - database: The missing database, for the error's message.
    /// - Throws: `IdentityError` with code `configuration_invalid` when the spool contains files, or another `IdentityError` when the
    ///   directory cannot be read.
    public static func refuseOrphaned(at path: String, missing database: String) throws(IdentityError) {
        let count = try SpoolDirectory(path: path, maximumFileSize: 0).names().count
        guard count > 0 else { return }
        let files = count == 1 ? "one file" : "\(count) files"
        throw IdentityError(
            configuration:
                "There is no \(database), but its spool \(path) contains \(files) with tokens of its sessions.",
            hint: """
                Check that the configuration names the right database. Put the database back, or restore the newest backup of the \
                database. To start with an empty store instead, move the spool directory away, and set createsStore to true in the app \
                for the first start: all buyers then have to sign in again.
                """
        )
    }

    /// Writes a session durably, and replaces an earlier file of the same session.
    public func keep(_ session: StoredSession) async throws {
        let row = try records.seal(session)
        try await run { [directory] in try directory.write(row.bytes, to: Hexadecimal.encode(row.hash)) }
    }

    /// The spooled session with an id; nil if the spool does not contain it.
    public func session(_ id: SessionID) async throws -> StoredSession? {
        let name = try name(of: id)
        guard let bytes = try await run({ [directory] in try directory.read(name) }) else { return nil }
        return try open(bytes, named: name)
    }

    /// The sessions whose files can be read and opened, in any order.
    public func sessions() async throws -> [StoredSession] {
        let files = try await run { [directory] in
            try directory.names().compactMap { name in (try? directory.read(name)).flatMap { $0 }.map { (name, $0) } }
        }
        return files.compactMap { try? open($0.1, named: $0.0) }
    }

    /// Removes the spooled session with an id.
    public func remove(_ id: SessionID) async throws {
        let name = try name(of: id)
        try await run { [directory] in try directory.remove(name) }
    }

    /// The number of files, readable or not.
    public func count() async throws -> Int {
        try await run { [directory] in try directory.names().count }
    }

    /// The ``StoreKey/id`` of the key with which each file is encrypted; files that contain no sealed session are omitted.
    public func keyIDs() async throws -> [String] {
        try await run { [directory] in
            try directory.names().compactMap { name in
                try directory.read(name).flatMap { SealedSession(bytes: $0) }
                    .flatMap { StoreRecords.keyID(of: $0.record) }
            }
        }
    }

    /// Removes sessions whose retention ended before a date, and incomplete files that were last changed more than a day before this date.
    ///
    /// - Returns: The number of removed sessions.
    public func sweep(expiredBefore date: Date) async throws -> Int {
        var count = 0
        for name in try await run({ [directory] in try directory.names() }) {
            // Reading and removing run in one block of the queue. Otherwise ``keep(_:)`` could write a newer session between them, and this
            // method would remove it.
            let isRemoved = try await run { [self] in
                guard let bytes = try? directory.read(name), let session = try? open(bytes, named: name),
                    session.retainedUntil < date
                else { return false }
                try directory.remove(name)
                return true
            }
            if isRemoved { count += 1 }
        }
        let seconds = Int(exactly: date.timeIntervalSince1970.rounded(.down)) ?? 0
        try await run { [directory] in try directory.removeLeftovers(at: seconds) }
        return count
    }

    private func open(_ bytes: [UInt8], named name: String) throws -> StoredSession {
        guard let row = SealedSession(bytes: bytes), Hexadecimal.encode(row.hash) == name else {
            throw directory.damaged(name)
        }
        do {
            return try records.open(row)
        } catch {
            throw error.code == .storeCorrupt ? directory.damaged(name, cause: error) : error
        }
    }

    private func name(of id: SessionID) throws(IdentityError) -> String {
        Hexadecimal.encode(try records.hash(of: id))
    }

    private func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }
}
