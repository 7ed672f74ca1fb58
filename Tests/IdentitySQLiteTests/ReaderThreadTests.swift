import Dispatch
import IdentityKit
import TestStores
import Testing

@testable import IdentitySQLite

@Suite("The reader's thread", .timeLimit(.minutes(5)))
struct ReaderThreadTests {
    @Test("the check of the file's structure does not use the reader's thread, so reads do not wait for it")
    func integrityCheck() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        try await store.insert(sampleSession())
        await store.database.reader.close()
        #expect(try await store.database.problems(in: store.location).isEmpty)
        let page = try directory.connection().texts("SELECT rootpage FROM sqlite_schema WHERE name = 'session_buyer'")
        let start = (try #require(page.first.flatMap { Int($0) }) - 1) * 8_192
        var bytes = try directory.contents(directory.database)
        for index in start + 8_000..<start + 8_192 { bytes[index] ^= 1 }
        try directory.overwrite(bytes)
        #expect(try await !store.database.problems(in: store.location).isEmpty)
    }

    @Test("a list of a buyer's sessions fails if a session is moved to quarantine while the list is read")
    func quarantineDuringList() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        let session = try sampleSession()
        try await store.insert(session)
        let queue = store.database.reader.queue
        let gate = DispatchSemaphore(value: 0)
        let (started, start) = AsyncStream<Void>.makeStream()
        let blocker = Task {
            try await store.database.read { _ in
                start.finish()
                gate.wait()
            }
        }
        for await _ in started {}
        func waitForCalls(_ count: Int) async throws {
            while true {
                let calls = queue.take()
                queue.postpone(calls)
                if calls.count == count { return }
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        let filter = SessionFilter(buyer: (session.issuer, session.subject))
        let list = Task { try await store.sessions(matching: filter) }
        try await waitForCalls(1)
        // This call runs after the list's first read, in the same batch, and before the list's next read.
        let move = Task {
            try await store.database.read { reader in
                // Ends the transaction that the batch shares, so that the shell can commit.
                reader.rollback()
                try directory.connection().execute(
                    """
                    INSERT INTO quarantine (origin, reason, moved_at, key, hash, buyer, tenant, provider, slot)
                    SELECT 'session', 'damaged', 0, key, hash, buyer, tenant, provider, slot FROM session;
                    DELETE FROM session;
                    """
                )
            }
        }
        try await waitForCalls(2)
        gate.signal()
        try await blocker.value
        try await move.value
        await expect(.storeCorrupt, .configuration) { try await list.value }
    }
}
