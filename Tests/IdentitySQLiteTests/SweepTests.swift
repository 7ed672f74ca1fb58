import FoundationEssentials
import IdentityKit
import TestStores
import Testing

@testable import IdentitySQLite

@Suite("A sweep of sessions")
struct SweepTests {
    private let moment = Date(timeIntervalSince1970: 1_800_000_000)

    @Test("a sweep finds sessions through an index that saves do not change")
    func index() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        let session = try sampleSession(retainedUntil: moment)
        try await store.insert(session)
        func sweepAfter() async throws -> [Double] {
            try await store.database.read { connection in
                try connection.all(
                    .listSweepable,
                    .real(.infinity),
                    .real(-.infinity),
                    .integer(-1),
                    .integer(10)
                ) { $0.real(0) }
            }
        }
        var extended = session.next()
        extended.retainedUntil = moment + 1_000
        _ = try await store.save(extended, after: session)
        #expect(try await sweepAfter() == [moment.timeIntervalSinceReferenceDate])
        #expect(try await store.sweep(expiredBefore: moment) == 0)
        #expect(try await sweepAfter() == [moment.timeIntervalSinceReferenceDate])
        #expect(try await store.sweep(expiredBefore: moment + 500) == 0)
        #expect(try await sweepAfter() == [(moment + 1_000).timeIntervalSinceReferenceDate])
        let plan = try await store.database.read { try $0.plan(.listSweepable) }
        #expect(plan.contains { $0.contains("session_sweep") } && !plan.contains { $0.contains("SCAN") }, "\(plan)")
        #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
        #expect(try await store.sweep(expiredBefore: moment + 1_001) == 1)
        #expect(try await store.session(session.id) == nil)
    }

    @Test("a sweep on a full disk passes thousands of refreshed sessions and removes the expired one after them")
    func fullDisk() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open { ($0.slotSize, $0.lockWait) = (512, .seconds(600)) }
        let sessions = try (0..<3_000).map { _ in try sampleSession(retainedUntil: moment) }
        let expired = try sampleSession(retainedUntil: moment + 1)
        try await withThrowingTaskGroup { group in
            for session in sessions + [expired] { group.addTask { try await store.insert(session) } }
            try await group.waitForAll()
        }
        try await withThrowingTaskGroup { group in
            for (number, session) in sessions.enumerated() {
                var extended = session.next()
                extended.retainedUntil = moment + Double(1_000 + number * 7_919 % 3_000)
                group.addTask { [extended] in _ = try await store.save(extended, after: session) }
            }
            try await group.waitForAll()
        }
        try await store.fillDisk()
        #expect(try await store.sweep(expiredBefore: moment + 500) == 1)
        #expect(try await store.session(expired.id) == nil)
        #expect(try await store.sweep(expiredBefore: moment + 5_000) == 3_000)
    }

    @Test("if others can open the spool folder, a sweep fails, but still removes expired sessions and logins")
    func openSpool() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        try await store.insert(sampleSession(retainedUntil: moment))
        try await store.insert(sampleAttempt("1", expiresAt: 1))
        try await store.spool(sampleSession())
        try directory.setMode(0o755, of: directory.spool)
        await #expect(throws: IdentityError.self) { try await store.sweep(expiredBefore: moment + 1) }
        try directory.setMode(0o700, of: directory.spool)
        #expect(try await store.sweep(expiredBefore: moment + 1) == 0)
    }
}
