internal import Dispatch
package import FoundationEssentials
package import IdentityKit

/// The second place for sessions that a store does not take: a file each, sealed exactly like the row that it would be.
///
/// Files are written on a queue of its own, never on the cooperative pool.
package final class SessionSpool: Sendable {
    /// What a file has besides the record: names of tenant, provider and issuer, and hashes.
    private static let maximumHeader = 65_536

    private let directory: SpoolDirectory
    private let sealer: RecordSealer
    private let lookup: LookupKey
    private let queue = DispatchQueue(label: "IdentityKit.spool")

    /// A spool in a directory that need not exist.
    package init(path: String, sealer: RecordSealer, lookup: LookupKey) {
        directory = SpoolDirectory(path: path, maximumCount: sealer.longestRecord + Self.maximumHeader)
        self.sealer = sealer
        self.lookup = lookup
    }

    /// Keeps a session durably, in place of what was kept for it before.
    package func keep(_ session: StoredSession) async throws {
        let hash = try hash(session.id)
        let buyer = try lookup.hash(.buyer, Array(session.issuer.utf8), Array(session.subject.utf8))
        let identity = SealedSession.identity(of: session, row: hash, buyer: buyer)
        let record = try sealer.seal(SealedSession.body(of: session), as: identity)
        let file = SpooledSession(identity: identity, isUnsettled: session.isUnsettled, record: record)
        try await run { [directory] in try directory.write(file.bytes, to: StoreKey.describe(hash)) }
    }

    /// What is kept for a session, or nil.
    package func session(_ id: SessionID) async throws -> StoredSession? {
        let name = StoreKey.describe(try hash(id))
        guard let bytes = try await run({ [directory] in try directory.read(name) }) else { return nil }
        return try open(bytes, named: name)
    }

    /// Every session that can be read.
    package func sessions() async throws -> [StoredSession] {
        let files = try await run { [directory] in
            try directory.names().compactMap { name in (try? directory.read(name)).flatMap { $0 }.map { (name, $0) } }
        }
        return files.compactMap { try? open($0.1, named: $0.0) }
    }

    /// Forgets what is kept for a session.
    package func remove(_ id: SessionID) async throws {
        let name = StoreKey.describe(try hash(id))
        try await run { [directory] in try directory.remove(name) }
    }

    /// How many files there are, readable or not.
    package func count() async throws -> Int {
        try await run { [directory] in try directory.names().count }
    }

    /// What each file is sealed under.
    package func keyIdentifiers() async throws -> [[UInt8]] {
        try await run { [directory] in
            try directory.names().compactMap { name in
                guard let bytes = try directory.read(name) else { return nil }
                return SpooledSession(bytes).flatMap { RecordSealer.keyIdentifier(of: $0.record) }.map(Array.init)
            }
        }
    }

    /// Forgets sessions that a sweep may remove, and what was half written long ago; tells how many sessions.
    package func sweep(retiredBefore date: Date) async throws -> Int {
        var count = 0
        for session in try await sessions() where session.retainedUntil < date {
            try await remove(session.id)
            count += 1
        }
        let seconds = Int(exactly: date.timeIntervalSince1970.rounded(.down)) ?? 0
        try await run { [directory] in try directory.removeLeftovers(at: seconds) }
        return count
    }

    private func open(_ bytes: [UInt8], named name: String) throws -> StoredSession {
        guard let file = SpooledSession(bytes), StoreKey.describe(file.identity.row) == name else {
            throw SpoolDirectory.damaged
        }
        let body = try sealer.open(file.record, as: file.identity)
        guard var session = SealedSession.session(from: body, identity: file.identity) else {
            throw SpoolDirectory.damaged
        }
        session.isUnsettled = file.isUnsettled
        return session
    }

    private func hash(_ id: SessionID) throws(IdentityError) -> [UInt8] {
        try lookup.hash(.session, Array(id.rawValue.utf8))
    }

    private func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }
}
