import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityTesting
import Synchronization
import TestDoubles
import TestStores
import Testing

@testable import IdentitySQLite

/// A store that cannot save new tokens while its disk is full, and has no spool.
private final class FullStore: WrappingStore {
    let inner: SQLiteStore
    let isFull = Mutex(false)

    init(_ inner: SQLiteStore) { self.inner = inner }

    func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool {
        guard session.isInDoubt || !isFull.withLock({ $0 }) else {
            throw IdentityError(.retryLater, .storeBusy, "The disk is full.")
        }
        return try await inner.replace(session, expecting: generation)
    }
}

@Suite("A session lock that a process keeps")
struct KeptLockTests {
    @Test("while a process has new tokens that it could not save, no other process refreshes the session")
    func keepsLock() async throws {
        let directory = try StoreDirectory()
        let clock = ManualClock(isAdvancedBySleeping: true)
        let provider = StrictProvider(clock: clock)
        func manager(_ store: any SessionStore) throws -> SessionManager {
            var configuration = SessionManager.Configuration()
            configuration.lockWait = .milliseconds(50)
            let environment = IdentityEnvironment(transport: try CurlTransport(), clock: clock)
            return SessionManager(
                providers: try ProviderRegistry([provider]),
                store: store,
                environment: environment,
                configuration: configuration
            )
        }
        // Two stores over one file exclude each other as two processes do.
        let full = FullStore(try await directory.open())
        let (first, second) = (try manager(full), try await manager(directory.open()))
        let tokens = provider.mint(Buyer(issuer: "https://id.example", subject: "buyer"))
        let id = try await first.establish(tokens, provider: "strict").id
        clock.advance(by: .seconds(3_700))

        full.isFull.withLock { $0 = true }
        let got = try await first.tokens(for: id)
        #expect(got.tokens.accessToken.reveal() == "access-2" && got.warning?.code == .tokensNotDurable)
        await expect(.refreshBusy, .retryLater) { try await second.tokens(for: id) }
        #expect(try await first.tokens(for: id).tokens.accessToken.reveal() == "access-2")
        await expect(.refreshBusy, .retryLater) { try await second.tokens(for: id) }

        full.isFull.withLock { $0 = false }
        // The last call of `first` may have started a repair in the background. Until it ends, other repairs return without effect.
        for _ in 0..<20_000 {
            if try await first.repair().busy == 0 { break }
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(try await second.tokens(for: id).tokens.accessToken.reveal() == "access-2")
        clock.advance(by: .seconds(3_700))
        #expect(try await second.tokens(for: id).tokens.accessToken.reveal() == "access-3")
    }

    @Test("waiting tasks of one process get a released lock in order and without polling", .timeLimit(.minutes(5)))
    func order() async throws {
        let directory = try StoreDirectory()
        // This clock never ends a sleep, so a task that polls for the lock would never get it.
        let store = try await directory.open { $0.clock = ManualClock() }
        let name = LockName.session(try sampleSession().id)
        let (order, holders) = AsyncStream.makeStream(of: Int.self)
        let waiters = try await store.withLock(name, waitingUpTo: .zero) { _ in
            var waiters: [Task<Void, any Error>] = []
            for number in 0..<3 {
                waiters.append(
                    Task {
                        try await store.withLock(name, waitingUpTo: .seconds(60)) { _ in
                            _ = holders.yield(number)
                        }
                    }
                )
                while store.taskLocks.waiting(for: name) <= number { try await Task.sleep(for: .milliseconds(1)) }
            }
            return waiters
        }
        for waiter in waiters { try await waiter.value }
        holders.finish()
        #expect(await order.reduce(into: []) { $0.append($1) } == [0, 1, 2])
    }

    @Test("a lock that a body keeps excludes other processes until a later body of its process does not keep it")
    func endsLater() async throws {
        let directory = try StoreDirectory()
        let (holder, other) = (try await directory.open(), try await directory.open())
        let name = LockName.session(try #require(SessionID(rawValue: "AAAAAAAAAAAAAAAAAAAAAA")))
        func isFree() async -> Bool {
            (try? await other.withLock(name, waitingUpTo: .zero) { _ in true }) ?? false
        }
        try await holder.withLock(name, waitingUpTo: .zero) { $0.keepAfterBody() }
        #expect(await !isFree())
        try await holder.withLock(name, waitingUpTo: .zero) { $0.keepAfterBody() }
        #expect(await !isFree())
        try await holder.withLock(name, waitingUpTo: .zero) { _ in }
        #expect(await isFree())
    }
}
