import IdentityKit
import Synchronization
import TestStores
import Testing

@testable import IdentitySQLite

@Suite("A batch of saves that a reader of another program blocks", .timeLimit(.minutes(5)))
struct BusyCommitTests {
    /// A batch of calls whose time limit has passed.
    private final class Batch: Sendable {
        private let works = Mutex<[PendingWork]>([])
        private let runs = Mutex(0)
        /// The number of runs of bodies that do not fail.
        var runCount: Int { runs.withLock { $0 } }

        /// Queues calls and returns the tasks that wait for their results.
        func add(_ count: Int, failing: Bool = false) async throws -> [Task<Void, any Error>] {
            let expected = works.withLock { $0.count } + count
            let calls = (0..<count).map { _ in
                Task {
                    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                        let work = PendingWork(deadline: .zero, continuation: continuation) { connection in
                            if !failing { self.runs.withLock { $0 += 1 } }
                            _ = try connection.run(.countCommit)
                            // The call has changed a row, so its transaction must be rolled back.
                            if failing { throw IdentityError.sessionExists }
                        }
                        self.works.withLock { $0.append(work) }
                    }
                }
            }
            while works.withLock({ $0.count < expected }) { try await Task.sleep(for: .milliseconds(1)) }
            return calls
        }

        func run(on store: SQLiteStore) async {
            _ = await store.database.run(works.withLock { $0 })
        }
    }

    @Test("all calls fail as store_busy after one commit, which waits no longer than the first call may wait")
    func oneCommit() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open { $0.lockWait = .seconds(600) }
        let shell = try directory.connection()
        try shell.execute("BEGIN; SELECT count(*) FROM session")
        let batch = Batch()
        let calls = try await batch.add(20)
        await batch.run(on: store)
        for call in calls { await expect(.storeBusy, .retryLater) { try await call.value } }
        #expect(batch.runCount == 20)
    }

    @Test("after a call has failed, one other call waits for the reader, and the rest fail without being run")
    func afterFailure() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open { $0.lockWait = .zero }
        let shell = try directory.connection()
        try shell.execute("BEGIN; SELECT count(*) FROM session")
        let batch = Batch()
        let failing = try await batch.add(1, failing: true)
        let calls = try await batch.add(20)
        await batch.run(on: store)
        await expect(.storeFailed, .rejected) { try await failing[0].value }
        for call in calls { await expect(.storeBusy, .retryLater) { try await call.value } }
        #expect(batch.runCount == 1)
    }

    @Test("without a reader, a call that fails does not affect the others")
    func failure() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        let batch = Batch()
        let before = try await batch.add(3)
        let failing = try await batch.add(1, failing: true)
        let after = try await batch.add(3)
        await batch.run(on: store)
        await expect(.storeFailed, .rejected) { try await failing[0].value }
        for call in before + after { try await call.value }
    }

    @Test("a check of the file needs the writer lock, and fails as store_busy while another process holds it")
    func check() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open { $0.lockWait = .milliseconds(100) }
        let other = try LockDescriptor(path: directory.database + ".locks")
        #expect(try other.tryLock(LockDescriptor.Byte.writer))
        await expect(.storeBusy, .retryLater) { try await store.checkHealth() }
        other.unlock(LockDescriptor.Byte.writer)
        #expect(try await store.checkHealth().problems.isEmpty)
    }
}
