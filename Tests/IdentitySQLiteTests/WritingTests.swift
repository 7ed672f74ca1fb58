import FoundationEssentials
import Glibc
import IdentityKit
import IdentityStoreKit
import IdentityTesting
import Synchronization
import TestDoubles
import TestStores
import Testing

@testable import IdentitySQLite

@Suite("Writing to a store")
struct WritingTests {
    @Test("a call that another program's transaction blocks longer than the time limit fails as store_busy")
    func foreignTransaction() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open { $0.lockWait = .zero }
        let session = try sampleSession()
        try await store.insert(session)
        let shell = try directory.connection()
        try shell.execute("BEGIN EXCLUSIVE")
        await expect(.storeBusy, .retryLater) { try await store.session(session.id) }
        await expect(.storeBusy, .retryLater) { try await store.insert(sampleSession()) }
        await expect(.storeBusy, .retryLater) { try await directory.open { $0.lockWait = .zero } }
        try shell.execute("COMMIT")
        try await store.insert(sampleSession())
        // While the shell reads, the store's transaction can begin but not commit.
        try shell.execute("BEGIN; SELECT count(*) FROM session")
        await expect(.storeBusy, .retryLater) { try await store.remove(session.id) }
        #expect(try await store.session(session.id) != nil)
        try shell.execute("COMMIT")
        #expect(try await store.remove(session.id) != nil)
    }

    @Test("a save waits for another process's writer lock, and reads continue")
    func writerLock() async throws {
        let directory = try StoreDirectory()
        let impatient = try await directory.open { $0.lockWait = .zero }
        let patient = try await directory.open { $0.lockWait = .seconds(600) }
        let session = try sampleSession()
        try await patient.insert(session)
        let other = try LockDescriptor(path: directory.locks)
        #expect(try other.tryLock(LockDescriptor.Byte.writer))
        await expect(.storeBusy, .retryLater) { try await impatient.insert(sampleSession()) }
        let late = try sampleSession()
        async let saved: Void = patient.insert(late)
        #expect(try await patient.session(session.id) != nil)
        #expect(try await impatient.session(session.id) != nil)
        other.close()
        try await saved
        // The writer lock is released before `insert` returns.
        #expect(try await impatient.session(late.id) != nil)
        try await impatient.insert(sampleSession())
    }

    @Test("a call that waits for the writer lock and then for another program waits no longer than the time limit")
    func oneDeadline() async throws {
        let directory = try StoreDirectory()
        let clock = LockHoldingClock()
        let store = try await directory.open { ($0.clock, $0.lockWait) = (clock, .milliseconds(100)) }
        #expect(try clock.lockWriter(directory.locks, for: .milliseconds(90)))
        let shell = try directory.connection()
        try shell.execute("BEGIN EXCLUSIVE")
        let begun = clock.elapsed
        await expect(.storeBusy, .retryLater) { try await store.database.problems(in: store.location) }
        #expect(clock.elapsed - begun < .milliseconds(110))
        try shell.execute("COMMIT")
    }

    @Test("the process that waits for the writer lock is the next one to get it")
    func turnstile() throws {
        let directory = try StoreDirectory()
        let one = WriterLock(try LockDescriptor(path: directory.locks))
        let two = WriterLock(try LockDescriptor(path: directory.locks))
        #expect(try one.tryAcquire())
        #expect(try !two.tryAcquire())
        one.release()
        #expect(try !one.tryAcquire())
        #expect(try two.tryAcquire())
        #expect(try one.tryAcquire() == false)
        two.release()
        #expect(try one.tryAcquire())
    }

    @Test("the session lock of another process is respected, and released when that process ends")
    func sessionLock() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        let id = try sampleSession().id
        let other = try LockDescriptor(path: directory.locks)
        let byte = LockDescriptor.Byte.lock(try store.records.hash(of: LockName.session(id)))
        #expect(try other.tryLock(byte))
        await expect(.refreshBusy, .retryLater) { try await store.withLock(.session(id), waitingUpTo: .zero) { _ in } }
        async let entered = store.withLock(.session(id), waitingUpTo: .seconds(600)) { _ in true }
        other.close()
        #expect(try await entered)
    }

    @Test("thousands of sessions can be locked with one open file")
    func manyLocks() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        func openFiles() throws -> Int {
            let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            return files.count { file in
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(file)")) == directory.locks
            }
        }
        let before = try openFiles()
        let (released, release) = AsyncStream<Void>.makeStream()
        let gate = Task { for await _ in released {} }
        let held = Counter()
        let holders = try (0..<2_000).map { _ in try sampleSession().id }.map { id in
            Task {
                try await store.withLock(.session(id), waitingUpTo: .seconds(600)) { _ in
                    held.count()
                    await gate.value
                }
            }
        }
        while held.total < 2_000 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(try openFiles() - before <= 1)
        release.finish()
        for holder in holders { try await holder.value }
    }

    @Test("concurrent saves share transactions, and a failed save does not affect them")
    func groupCommit() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open { $0.lockWait = .seconds(600) }
        // With a refused save in its batch, each call gets its own transaction.
        _ = try await transactions(in: store, directory, refusesOne: true)
        // How many of the saves are queued when the lock is released depends on how busy the machine is.
        for _ in 0..<50 where try await transactions(in: store, directory) <= 16 { return }
        Issue.record("Saves that waited for one lock did not share transactions.")
    }

    /// Saves 64 sessions that wait for the writer's lock; returns the number of transactions.
    private func transactions(
        in store: SQLiteStore,
        _ directory: StoreDirectory,
        refusesOne: Bool = false
    ) async throws -> UInt32 {
        func counter() throws -> UInt32 {
            try directory.contents(directory.database)[24..<28].reduce(0) { $0 << 8 | UInt32($1) }
        }
        let before = try counter()
        let other = try LockDescriptor(path: directory.locks)
        #expect(try other.tryLock(LockDescriptor.Byte.writer))
        let sessions = try (0..<64).map { _ in try sampleSession() }
        let saves = sessions.map { session in Task { try await store.insert(session) } }
        let refused = Task {
            guard refusesOne else { return }
            _ = await expect(.storeFailed, .rejected) {
                try await store.insert(sampleSession(retainedUntil: Date(timeIntervalSince1970: .nan)))
            }
        }
        other.close()
        for save in saves { try await save.value }
        await refused.value
        for session in sessions { #expect(try await store.session(session.id) != nil) }
        return try counter() - before
    }

    @Test("a save overwrites pages in place, so the file does not grow, and saves succeed on a full disk")
    func inPlace() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        var session = try sampleSession()
        try await store.insert(session)
        let size = try directory.contents(directory.database).count
        // The disk is full: SQLite cannot allocate another page.
        try await store.fillDisk()
        for length in [1, 7_000, 0] {
            session.generation += 1
            session.payload = Secret(String(repeating: "x", count: length))
            session.retainedUntil += 0.5
            #expect(try await store.replace(session, expecting: session.generation - 1))
        }
        #expect(try directory.contents(directory.database).count == size)
        await expect(.storeFull, .retryLater) {
            for _ in 0..<64 { try await store.insert(sampleSession()) }
        }
        session.generation += 1
        #expect(try await store.replace(session, expecting: session.generation - 1))
    }

    @Test("a record that is too large is refused, and the old one is kept")
    func tooLarge() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open { $0.slotSize = 1_024 }
        let session = try sampleSession()
        try await store.insert(session)
        var large = session
        large.generation += 1
        large.payload = Secret(String(repeating: "x", count: 16 * 1_024))
        let tooLarge = large
        await expect(.storeRecordTooLarge, .configuration) {
            try await store.replace(tooLarge, expecting: session.generation)
        }
        #expect(try await store.session(session.id)?.payload.reveal() == "tokens")
        for size in [0, 511, 1_048_577] {
            await expect(.configurationInvalid, .configuration) { try await directory.open { $0.slotSize = size } }
        }
    }

    @Test("after closing, the file contains exactly the sessions whose save succeeded")
    func closing() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        let sessions = try (0..<16).map { _ in try sampleSession() }
        let saves = sessions.map { session in Task { (try? await store.insert(session)) != nil } }
        await store.close()
        await store.close()
        let reopened = try await directory.open()
        for (session, save) in zip(sessions, saves) {
            let isSaved = await save.value
            #expect((try await reopened.session(session.id) != nil) == isSaved)
        }
    }
}

/// A clock that sleeping advances, and that holds the writer lock for a time.
private final class LockHoldingClock: IdentityClock {
    private let clock = ManualClock(isAdvancedBySleeping: true)
    private let held = Mutex<(lock: LockDescriptor, end: Duration)?>(nil)

    var now: Date { clock.now }
    var elapsed: Duration { clock.elapsed }

    func lockWriter(_ path: String, for duration: Duration) throws -> Bool {
        try held.withLock { held in
            let lock = try LockDescriptor(path: path)
            guard try lock.tryLock(LockDescriptor.Byte.writer) else { return false }
            held = (lock, elapsed + duration)
            return true
        }
    }

    func sleep(for duration: Duration) async throws {
        try await clock.sleep(for: duration)
        held.withLock { held in
            if let end = held?.end, elapsed >= end { held = nil }
        }
    }
}
