internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit

/// What is on the disk that all processes share; what was written stays, whoever dies.
final class Disk: @unchecked Sendable {
    private unowned let world: World
    private(set) var rows: [SessionID: StoredSession] = [:]
    private(set) var spool: [SessionID: StoredSession] = [:]
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
        if world.mutant == .writesNoIntent, session.isInDoubt, !old.isInDoubt { return true }
        world.check(session, replaces: old)
        rows[session.id] = session
        return true
    }

    func remove(_ id: SessionID) -> StoredSession? {
        guard let old = rows.removeValue(forKey: id) else { return nil }
        world.checkRemoval(of: old)
        return old
    }

    func setSpooled(_ session: StoredSession?, _ id: SessionID) {
        spool[id] = session
    }
}

extension StoredSession {
    /// Whether the row tells that a refresh token may have been spent.
    var isInDoubt: Bool { isUnsettled }

    /// Whether the payload holds a text that needs no escaping, also in an answer that was kept and not judged yet.
    func holds(_ text: String) -> Bool {
        let (bytes, wanted) = (payload.revealBytes(), Array(text.utf8))
        if bytes.firstRange(of: wanted) != nil { return true }
        guard bytes.firstRange(of: Array("\"answer\":".utf8)) != nil,
            let body = (try? JSONValue(parsing: bytes))?["answer"]?["body"]?.string.flatMap({ Base64URL.decode($0) })
        else { return false }
        return body.firstRange(of: wanted) != nil
    }
}
