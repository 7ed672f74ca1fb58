internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit

/// The disk that all processes share; its data survives crashes.
final class Disk: @unchecked Sendable {
    private unowned let world: World
    private(set) var rows: [SessionID: StoredSession] = [:]
    /// The spool of each machine, which other machines cannot read.
    private var spools: [Int: [SessionID: StoredSession]] = [:]
    var attempts: [String: StoredLoginAttempt] = [:]
    var isFull = false

    init(_ world: World) {
        self.world = world
    }

    func insert(_ session: StoredSession) -> Bool {
        guard rows[session.id] == nil else { return false }
        rows[session.id] = session
        return true
    }

    func replace(_ session: StoredSession, expecting generation: Int64) -> Bool {
        guard let old = rows[session.id] else { return false }
        guard old.generation == generation || world.mutant == .ignoresGeneration else { return false }
        if world.mutant == .writesNoClaim, session.isInDoubt, !old.isInDoubt { return true }
        if world.mutant == .writesNoJournal, session.holdsResponse { return true }
        world.check(session, replaces: old)
        rows[session.id] = session
        return true
    }

    func remove(_ id: SessionID) -> StoredSession? {
        guard let old = rows.removeValue(forKey: id) else { return nil }
        world.checkRemoval(of: old)
        return old
    }

    func spool(of process: VirtualProcess) -> [SessionID: StoredSession] { spools[machine(process)] ?? [:] }

    func setSpooled(_ session: StoredSession?, _ id: SessionID, by process: VirtualProcess) {
        spools[machine(process), default: [:]][id] = session
    }

    /// Whether any spool contains a valid token of a family.
    func hasSpooled(_ family: Family, _ id: SessionID) -> Bool {
        spools.values.contains { family.isUsable(in: $0[id]) }
    }

    /// The machine of a process: with kernel locks all processes run on one machine and share its spool.
    private func machine(_ process: VirtualProcess) -> Int {
        world.episode.locking == .kernel ? 0 : process.slot
    }
}

extension StoredSession {
    /// Whether the payload contains a response that is not validated yet.
    var holdsResponse: Bool { RecordReader(payload)?["response"] != nil }

    /// Whether the payload contains a text, also in a response that is not validated yet.
    func holds(_ text: String) -> Bool {
        payload.revealBytes().firstRange(of: Array(text.utf8)) != nil
    }
}
