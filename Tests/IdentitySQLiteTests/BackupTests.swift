import FoundationEssentials
import Glibc
import IdentityKit
import IdentityStoreKit
import Synchronization
import TestStores
import Testing

@testable import IdentitySQLite

@Suite("Backups")
struct BackupTests {
    @Test(
        "a backup is complete, readable by its owner only, and marks the token of each session as possibly used",
        arguments: [false, true]
    )
    func restoring(_ isLog: Bool) async throws {
        let directory = try StoreDirectory()
        let other = try StoreDirectory()
        let change: (inout SQLiteStore.Configuration) -> Void = { configuration in
            configuration.trustsWriteAheadLog = isLog
            configuration.journal = isLog ? .writeAheadLog : .rollback
        }
        let store = try await directory.open(change)
        let sessions = try (0..<20).map { try sampleSession(subject: "buyer \($0)") }
        for session in sessions { try await store.insert(session) }
        let claimed = try await store.save(sessions[0].next(isInDoubt: true), after: sessions[0])
        try await store.backup(to: other.database)
        // The original store continues and uses the tokens that the backup still contains.
        for session in sessions.dropFirst() { _ = try await store.save(session.next("refreshed"), after: session) }
        #expect(try await store.session(sessions[1].id)?.isRestored == false)
        #expect(other.mode(other.database) == 0o600)
        #expect(try other.entries() == ["store.sqlite"])

        func open() async throws -> SQLiteStore { try await other.open { $0.key = directory.key } }
        try other.setMode(0o400, of: other.database)
        let reader = try await open()
        #expect(try await reader.session(sessions[1].id)?.isRestored == true)
        await reader.close()
        try other.setMode(0o600, of: other.database)
        for _ in 0..<2 {
            let copy = try await open()
            #expect(try await copy.checkHealth().isSound)
            for (number, session) in sessions.enumerated() {
                let kept = try #require(try await copy.session(session.id))
                #expect(kept.isRestored)
                #expect(kept.payload.reveal() == "tokens")
                #expect(kept.isInDoubt == (number == 0))
                #expect(kept.generation == (number == 0 ? claimed : session).generation)
            }
            await copy.close()
        }
        let copy = try await open()
        _ = try await copy.save(sessions[1].next(), after: sessions[1])
        #expect(try await copy.session(sessions[1].id)?.isRestored == false)
        #expect(try await copy.session(sessions[2].id)?.isRestored == true)
        let fresh = try sampleSession()
        try await copy.insert(fresh)
        #expect(try await copy.session(fresh.id)?.isRestored == false)
    }

    @Test("saves of another process continue during a backup, and the backup is consistent")
    func online() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open { $0.lockWait = .seconds(600) }
        let other = try await directory.open { $0.lockWait = .seconds(600) }
        let sessions = try (0..<400).map { try sampleSession(subject: "buyer \($0)") }
        try await withThrowingTaskGroup { group in
            for session in sessions { group.addTask { try await store.insert(session) } }
            try await group.waitForAll()
        }
        // Two sessions are saved alternately: no backup may contain the save of the second without the save of the first.
        let saves = Task {
            var pair = [sessions[0], sessions[1]]
            while !Task.isCancelled {
                for index in 0..<2 { pair[index] = try await other.save(pair[index].next(), after: pair[index]) }
            }
        }
        for number in 0..<3 {
            let target = directory.path + "/copy \(number)"
            try await store.backup(to: target)
            let copy = try await directory.open { $0.path = target }
            #expect(try await copy.checkHealth().isSound)
            let first = try #require(try await copy.session(sessions[0].id))
            let second = try #require(try await copy.session(sessions[1].id))
            #expect((0...1).contains(first.generation - second.generation))
            await copy.close()
        }
        saves.cancel()
        _ = try? await saves.value
    }

    @Test("a backup ends although another process commits between all of its steps")
    func busy() async throws {
        let directory = try StoreDirectory()
        let clock = CommittingClock()
        let store = try await directory.open { $0.clock = clock }
        // The payloads are so large that the backup needs three steps.
        for _ in 0..<40 { try await store.insert(sampleSession(payload: String(repeating: "x", count: 120_000))) }
        try await store.insert(sampleSession())
        let other = try await directory.open()
        // The file does not grow, so a copy that starts again has as many pages left as before.
        clock.start {
            let session = try sampleSession()
            try await other.insert(session)
            _ = try await other.remove(session.id)
        }
        try await store.backup(to: directory.path + "/copy")
        #expect(clock.commits < CommittingClock.limit)
        #expect(clock.commits > 1)
    }

    @Test("a backup overwrites no existing file, and a refused backup leaves no incomplete file")
    func refused() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        try await store.insert(sampleSession())
        try directory.overwrite([1, 2, 3], in: directory.path + "/there")
        for name in ["there", "store.sqlite"] {
            await expect(.configurationInvalid, .configuration) {
                try await store.backup(to: directory.path + "/" + name)
            }
        }
        #expect(try directory.contents(directory.path + "/there") == [1, 2, 3])
        let locked = try StoreDirectory()
        try locked.setMode(0o500, of: locked.path)
        if geteuid() != 0 {
            await expect(.storeReadOnly, .configuration) { try await store.backup(to: locked.database) }
        }
        #expect(try locked.entries().isEmpty)
        #expect(try directory.entries().allSatisfy { !$0.contains("partial") })
        await store.close()
        await expect(.storeFailed, .retryLater) { try await store.backup(to: directory.path + "/late") }
        #expect(try directory.entries().allSatisfy { !$0.contains("late") })
    }
}

/// A clock that commits through another store at each sleep, up to a limit.
private final class CommittingClock: IdentityClock {
    static let limit = 50
    private let state = Mutex<(commit: (@Sendable () async throws -> Void)?, commits: Int)>((nil, 0))
    private let system = SystemClock()

    var now: Date { system.now }
    var elapsed: Duration { system.elapsed }
    var commits: Int { state.withLock { $0.commits } }

    func start(_ commit: @escaping @Sendable () async throws -> Void) { state.withLock { $0.commit = commit } }

    func sleep(for duration: Duration) async throws {
        let commit = state.withLock { state in
            guard state.commits < Self.limit else { return nil as (@Sendable () async throws -> Void)? }
            if state.commit != nil { state.commits += 1 }
            return state.commit
        }
        try await commit?()
        try await system.sleep(for: duration)
    }
}
