import Dispatch
import Foundation
import IdentityKit
import IdentityTesting
import Synchronization
import TestStores
import Testing

@testable import IdentitySQLite

@Suite("Reading on the caller's thread")
struct DirectReaderTests {
    private let directory: StoreDirectory
    private let clock = ManualClock()

    init() throws { directory = try StoreDirectory() }

    private func filled() async throws -> (store: SQLiteStore, session: StoredSession) {
        let store = try await directory.open { [clock] in $0.clock = clock }
        let session = try sampleSession()
        try await store.insert(session)
        let isAttached = try await store.setAttachment("cart", to: Secret("lines"), of: session.id, expecting: nil)
        try #require(isAttached)
        return (store, session)
    }

    @Test("a session and an attachment are read without the reader's thread")
    func caller() async throws {
        let (store, session) = try await filled()
        await store.database.reader.close()
        #expect(try await store.session(session.id)?.id == session.id)
        #expect(try await store.attachment("cart", of: session.id)?.payload.reveal() == "lines")
        #expect(try await store.session(sampleSession().id) == nil)
        await expect(.storeFailed, .retryLater) { try await store.sessions(matching: SessionFilter()) }
    }

    @Test("a save is visible to the next read")
    func ownSave() async throws {
        let (store, session) = try await filled()
        var current = session
        for number in 0..<50 {
            current = try await store.save(current.next("tokens \(number)"), after: current)
            #expect(try await store.session(session.id)?.payload.reveal() == "tokens \(number)")
        }
    }

    @Test("a read of a locked file waits with the reader's thread until the lock is released")
    func locked() async throws {
        let (store, session) = try await filled()
        let clock = SleepCounter()
        let waiting = try await directory.open { ($0.clock, $0.lockWait) = (clock, .seconds(600)) }
        let shell = try directory.connection()
        try shell.execute("BEGIN EXCLUSIVE")
        #expect(try store.database.direct.read { try $0.hasAnySession() } == nil)
        let pauses = clock.count
        async let found = waiting.session(session.id)
        // The reader pauses after it found the file locked, and again after each further try.
        for _ in 0..<60_000 where clock.count < pauses + 3 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(clock.count >= pauses + 3)
        try shell.execute("COMMIT")
        #expect(try await found != nil)
        #expect(try store.database.direct.read { try $0.hasAnySession() } == true)
    }

    @Test("while one thread reads directly, a direct read of another thread returns nil")
    func oneCaller() async throws {
        let direct = try await filled().store.database.direct
        let isAlone = try direct.read { _ in
            // This uses another thread, because a thread must not request a lock that it already holds.
            let other = DispatchSemaphore(value: 0)
            let result = Mutex<Bool?>(nil)
            Thread.detachNewThread {
                result.withLock { $0 = (try? direct.read { try $0.hasAnySession() }) ?? nil }
                other.signal()
            }
            other.wait()
            return result.withLock { $0 } == nil
        }
        #expect(isAlone == true)
    }

    @Test("after a read that waited long for the disk, all reads use the reader's thread for twenty times its duration")
    func slow() async throws {
        _ = try await filled()
        let waits = Waits()
        let direct = DirectReader(clock: clock, waits: { waits.count.withLock(\.self) })
        try direct.use { [directory] in try directory.connection() }
        @Sendable func wait(_ duration: Duration) {
            waits.count.withLock { $0 += 1 }
            clock.advance(by: duration)
        }
        func isUsed() throws -> Bool { try direct.read { try $0.hasAnySession() } == true }
        _ = try direct.read { _ in wait(DirectReader.slowRead - .microseconds(1)) }
        #expect(try isUsed())
        _ = try direct.read { [clock] _ in clock.advance(by: .seconds(60)) }
        #expect(try isUsed(), "The long read did not wait for the disk, so it must not count as slow.")
        _ = try direct.read { _ in wait(DirectReader.slowRead) }
        #expect(try !isUsed())
        clock.advance(by: DirectReader.slowRead * 20 - .microseconds(1))
        #expect(try !isUsed())
        clock.advance(by: .microseconds(1))
        #expect(try isUsed())
    }

    @Test("the connection for direct reads cannot remove a session")
    func readOnly() async throws {
        let (store, session) = try await filled()
        let removed = try store.database.direct.read { try $0.run(.deleteSession, .integer(store.rowKey(session.id))) }
        #expect(removed == nil)
        #expect(try await store.session(session.id) != nil)
    }

    @Test("an error that does not come from SQLite is thrown to the caller")
    func failure() async throws {
        let store = try await filled().store
        await expect(.storeFull, .retryLater) {
            try await store.database.readRow { _ in throw IdentityError.storeFull() }
        }
    }

    @Test("no read uses the caller's thread after the store was closed, or if the file may be on another machine")
    func unavailable() async throws {
        let (store, session) = try await filled()
        await store.close()
        #expect(try store.database.direct.read { try $0.hasAnySession() } == nil)
        for type: Int64 in [0x6573_5546, 0x6969] {
            let remote = try await directory.open { ($0.fileSystemType, $0.allowsNetworkFileSystem) = (type, true) }
            #expect(try remote.database.direct.read { try $0.hasAnySession() } == nil)
            #expect(try await remote.session(session.id) != nil)
        }
    }
}

/// The system's clock with a count of its sleeps.
private final class SleepCounter: IdentityClock {
    private let sleeps = Mutex(0)
    private let system = SystemClock()

    var count: Int { sleeps.withLock(\.self) }
    var now: Date { system.now }
    var elapsed: Duration { system.elapsed }

    func sleep(for duration: Duration) async throws {
        sleeps.withLock { $0 += 1 }
        try await system.sleep(for: duration)
    }
}

private final class Waits: Sendable {
    let count = Mutex(0)
}

extension Connection {
    fileprivate func hasAnySession() throws -> Bool {
        try first(.listSessionRows, .integer(-1), .integer(1)) { _ in true } ?? false
    }
}
