import Dispatch
import FoundationEssentials
import IdentityKit
import TestDoubles
import TestStores
import Testing

@testable import IdentitySQLite

@Suite("Calls that a store refuses")
struct RefusedCallTests {
    private static let refusal = IdentityError(.rejected, .stateUnknown, "Refused.")

    private static func attempt() -> StoredLoginAttempt {
        StoredLoginAttempt(key: "a", expiresAt: Date(timeIntervalSince1970: 2_000_000_000), payload: Secret("p"))
    }

    private static func markUsed(_ key: Int64, _ connection: Connection) throws -> Int {
        try connection.run(
            .insertUsedToken,
            .integer(key),
            .bytes([UInt8](repeating: 0, count: 32)),
            .date(Date(timeIntervalSince1970: 2_000_000_000))
        )
    }

    @Test("a refused call fails alone: the other calls of its transaction do not run again", .timeLimit(.minutes(5)))
    func batch() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open { $0.savesPendingLoginsDurably = true }
        try await store.insert(Self.attempt())
        let (starts, runs) = (Counter(), Counter())
        // While the writer's thread waits, the next calls collect in its queue.
        let released = DispatchSemaphore(value: 0)
        async let blocker: Void = store.database.write { _ in
            starts.count()
            released.wait()
        }
        while starts.total == 0 { try await Task.sleep(for: .milliseconds(1)) }
        async let saved = store.database.write { connection in
            runs.count()
            return try Self.markUsed(1, connection)
        }
        async let refused = expect(.stateUnknown, .rejected) {
            try await store.takeLoginAttempt("a") { _ in throw Self.refusal }
        }
        try await Task.sleep(for: .milliseconds(100))
        released.signal()
        try await blocker
        #expect(try await saved == 1)
        _ = await refused
        #expect(runs.total == 1)
        #expect(try await store.takeLoginAttempt("a") != nil)
    }

    @Test("a call that changes rows and then fails is rolled back")
    func rollback() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        await expect(.stateUnknown, .rejected) {
            try await store.database.write { connection in
                _ = try Self.markUsed(1, connection)
                throw Self.refusal
            }
        }
        #expect(try await store.database.write { try Self.markUsed(1, $0) } == 1)
    }

    @Test("taking a login that is unknown, or that the caller refuses, commits nothing to the write-ahead log")
    func noCommit() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open {
            ($0.journal, $0.trustsWriteAheadLog, $0.savesPendingLoginsDurably) = (.writeAheadLog, true, true)
        }
        try await store.insert(Self.attempt())
        func commits() async throws -> Int64? {
            try await store.database.read { try $0.first(.readCommits) { $0.integer(0) } }
        }
        let before = try await commits()
        #expect(try await store.takeLoginAttempt("b") == nil)
        await expect(.stateUnknown, .rejected) { try await store.takeLoginAttempt("a") { _ in throw Self.refusal } }
        #expect(try await commits() == before)
        #expect(try await store.takeLoginAttempt("a") != nil)
        #expect(try await commits() != before)
    }

    @Test("an error of any type that a login's check throws reaches the caller unchanged", arguments: [false, true])
    func errorType(savesDurably: Bool) async throws {
        struct Refusal: Error {}
        let directory = try StoreDirectory()
        let store = try await directory.open { $0.savesPendingLoginsDurably = savesDurably }
        try await store.insert(Self.attempt())
        await #expect(throws: Refusal.self) { try await store.takeLoginAttempt("a") { _ in throw Refusal() } }
        #expect(try await store.takeLoginAttempt("a") != nil)
    }

    @Test("a call that takes an unknown login does not wait for another process's writer lock")
    func busy() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open { $0.lockWait = .zero }
        let other = try LockDescriptor(path: directory.locks)
        #expect(try other.tryLock(LockDescriptor.Byte.writer))
        #expect(try await store.takeLoginAttempt("b") == nil)
        other.close()
    }
}
