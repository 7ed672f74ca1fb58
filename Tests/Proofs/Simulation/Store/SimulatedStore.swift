internal import FoundationEssentials
internal import IdentityKit

/// The store of one process: its operations take time, fail, and are points at which processes crash.
final class SimulatedStore: SessionStore, SessionSpooling, @unchecked Sendable {
    let world: World
    let process: VirtualProcess

    init(_ world: World, _ process: VirtualProcess) {
        self.world = world
        self.process = process
    }

    // MARK: Failures

    private func read<Value>(_ body: () -> Value) async throws -> Value {
        await world.pause(world.scheduler.random.milliseconds(0...3), as: process.number)
        try failIfAway()
        return body()
    }

    private func failIfAway() throws {
        guard world.isStoreDown else { return }
        throw IdentityError(.retryLater, .storeFailed, "The store does not respond.")
    }

    /// A durable write, before and after which the process may crash.
    private func write<Value>(_ what: String, _ id: SessionID?, _ body: () throws -> Value) async throws -> Value {
        let faults = world.faults
        await world.pause(latency(faults), as: process.number)
        await dieIfDue(faults)
        try failIfAway()
        if world.disk.isFull {
            fail(what, id, "the disk is full")
            throw IdentityError(.retryLater, .storeFull, "The disk is full.")
        }
        guard world.scheduler.random.permille(faults.writeError) else {
            let value = try body()
            world.note(process, "\(what) \(world.name(id)) written")
            await dieIfDue(faults)
            await world.pause(latency(faults), as: process.number)
            return value
        }
        // A failed commit may have been written.
        let isWritten = world.scheduler.random.permille(500)
        if isWritten { _ = try body() }
        fail(what, id, isWritten ? "failed, but is written" : "failed")
        await world.pause(latency(faults), as: process.number)
        throw IdentityError(.retryLater, .storeFailed, "The store failed.")
    }

    private func fail(_ what: String, _ id: SessionID?, _ how: String) {
        world.tally.storeFaults += 1
        process.storeRefusals.append(world.scheduler.now)
        world.note(process, "\(what) \(world.name(id)): \(how)")
    }

    private func latency(_ faults: Episode.Faults) -> Duration {
        world.scheduler.random.permille(faults.slowWrite)
            ? world.scheduler.random.milliseconds(200...2000) : world.scheduler.random.milliseconds(0...8)
    }

    private func dieIfDue(_ faults: Episode.Faults) async {
        guard world.scheduler.random.permille(faults.crashAtWrite) else { return }
        world.crash(process)
        await world.stayDead()
    }

    // MARK: Sessions

    func insert(_ session: StoredSession) async throws {
        let isNew = try await write("insert", session.id) { world.disk.insert(session) }
        guard isNew else { throw IdentityError(.rejected, .storeFailed, "A session with this id is already stored.") }
    }

    func session(_ id: SessionID) async throws -> StoredSession? {
        try await read { world.disk.rows[id] }
    }

    func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool {
        let step = session.generation - StoredSession.firstGeneration
        let what = "replace to \(step)\(session.isInDoubt ? " in doubt" : "")"
        return try await write(what, session.id) {
            let isReplaced = world.disk.replace(session, expecting: generation)
            if isReplaced { world.noteSaved(session) }
            if !isReplaced { world.note(process, "replace \(world.name(session.id)) refused") }
            return isReplaced
        }
    }

    func remove(_ id: SessionID) async throws -> RemovedSession? {
        try await write("remove", id) {
            world.disk.remove(id).map { RemovedSession(session: $0, attachments: [:]) }
        }
    }

    func sessions(matching filter: SessionFilter) async throws -> [StoredSession] {
        try await read {
            world.disk.rows.values.filter(filter.matches)
                .sorted { ($0.createdAt, $0.id.rawValue) < ($1.createdAt, $1.id.rawValue) }
        }
    }

    // MARK: Logins and attachments, which the simulation does not use

    func insert(_ attempt: StoredLoginAttempt) async throws {
        try await write("insert attempt", nil) { world.disk.attempts[attempt.key] = attempt }
    }

    func takeLoginAttempt(
        _ key: String,
        after check: @escaping @Sendable (StoredLoginAttempt) throws -> Void
    ) async throws -> StoredLoginAttempt? {
        try await write("take attempt", nil) {
            guard let attempt = world.disk.attempts[key] else { return nil }
            try check(attempt)
            return world.disk.attempts.removeValue(forKey: key)
        }
    }

    func attachment(_ name: String, of id: SessionID) async throws -> SessionAttachment? { nil }

    func setAttachment(
        _ name: String,
        to payload: Secret?,
        of id: SessionID,
        expecting revision: Int64?
    ) async throws -> Bool { false }

    // MARK: Spool

    /// A write to the spool's disk, which fails rarely and independently of the store's disk.
    private func spoolWrite(_ what: String, _ id: SessionID, _ body: () -> Void) async throws {
        await world.pause(latency(world.faults), as: process.number)
        await dieIfDue(world.faults)
        if world.scheduler.random.permille(world.faults.writeError / 4) {
            fail(what, id, "failed")
            throw IdentityError(.retryLater, .storeFailed, "The spool failed.")
        }
        body()
        world.note(process, "\(what) \(world.name(id))")
        await dieIfDue(world.faults)
    }

    private func readSpool<Value>(_ body: () -> Value) async -> Value {
        await world.pause(world.scheduler.random.milliseconds(0...3), as: process.number)
        return body()
    }

    func spool(_ session: StoredSession) async throws {
        try await spoolWrite("spool", session.id) {
            world.tally.spooled += 1
            world.disk.setSpooled(session, session.id, by: process)
            world.noteSpooled(session)
        }
    }

    func spooledSession(_ id: SessionID) async throws -> StoredSession? {
        await readSpool { world.disk.spool(of: process)[id] }
    }

    func spooledSessions() async throws -> [StoredSession] {
        await readSpool { world.disk.spool(of: process).values.sorted { $0.id.rawValue < $1.id.rawValue } }
    }

    func removeSpooledSession(_ id: SessionID) async throws {
        try await spoolWrite("unspool", id) { world.disk.setSpooled(nil, id, by: process) }
    }

    // MARK: Locks

    func withLock<Result: Sendable>(
        _ name: LockName,
        waitingUpTo limit: Duration,
        _ body: @Sendable (HeldLock) async throws -> Result
    ) async throws -> Result {
        if world.mutant == .locksNothing { return try await body(.untilProcessEnds) }
        guard case .session(let id) = name else { preconditionFailure("The simulation has sessions only.") }
        await world.pause(world.scheduler.random.milliseconds(0...2), as: process.number)
        try failIfAway()
        let grant = try await world.locks.acquire(id, for: process, waitingUpTo: limit)
        defer { world.locks.release(grant) }
        guard grant.until != nil else { return try await body(.untilProcessEnds { grant.isKept = true }) }
        if world.mutant == .neverAsksTheLease { return try await body(HeldLock { .seconds(3600) }) }
        return try await body(HeldLock { [locks = world.locks] in locks.remaining(grant) })
    }
}
