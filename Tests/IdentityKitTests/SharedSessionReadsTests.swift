import FoundationEssentials
import IdentityKit
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

/// A store whose reads a test can hold after they have read the session.
private final class GatedStore: WrappingStore {
    let inner = InMemoryStore()
    private let state = Mutex((reads: 0, gates: [Int: AsyncStream<Void>]()))
    var reads: Int { state.withLock { $0.reads } }

    /// Holds the read with this number until the returned continuation is finished or the reader is cancelled.
    func holdRead(_ number: Int) -> AsyncStream<Void>.Continuation {
        let (opened, gate) = AsyncStream<Void>.makeStream()
        state.withLock { $0.gates[number] = opened }
        return gate
    }

    func session(_ id: SessionID) async throws -> StoredSession? {
        let gate = state.withLock { state in
            state.reads += 1
            return state.gates[state.reads]
        }
        let found = try await inner.session(id)
        if let gate { for await _ in gate {} }
        try Task.checkCancellation()
        return found
    }
}

@Suite("Shared reads of a session")
struct SharedSessionReadsTests {
    private let store = GatedStore()
    private let clock = ManualClock()
    private let provider: StrictProvider
    private let executor = SerialTaskExecutor()

    init() {
        provider = StrictProvider(clock: clock)
    }

    private func manager() throws -> SessionManager {
        try SessionManager(provider, store: store, clock: clock)
    }

    private func signIn(_ manager: SessionManager) async throws -> SessionID {
        let buyer = Buyer(issuer: "https://id.example", subject: "buyer")
        return try await manager.establish(provider.mint(buyer), provider: "strict").id
    }

    /// Starts callers, and returns when each of them has ended or waits.
    private func start(
        _ count: Int,
        _ manager: SessionManager,
        _ id: SessionID
    ) async -> [Task<SessionTokens, any Error>] {
        let callers = (0..<count).map { _ in
            Task(executorPreference: executor) { try await manager.tokens(for: id) }
        }
        await executor.settle()
        return callers
    }

    @Test("callers that ask during a read share the next one, and so get tokens that were saved before they asked")
    func newestState() async throws {
        let (manager, otherProcess) = (try manager(), try manager())
        let id = try await signIn(manager)
        let gate = store.holdRead(1)
        let first = await start(1, manager, id)
        while store.reads == 0 { await Task.yield() }
        // The first read has seen the old tokens already, and has not returned them yet.
        let new = try await otherProcess.refreshTokens(for: id).tokens
        let before = store.reads
        let others = await start(50, manager, id)
        gate.finish()
        for caller in others { #expect(try await caller.value.tokens.accessToken.isEqual(to: new.accessToken)) }
        #expect(store.reads == before + 1)
        #expect(try await !first[0].value.tokens.accessToken.isEqual(to: new.accessToken))
        _ = try await manager.tokens(for: id)
        #expect(store.reads == before + 2)
    }

    @Test("if the caller whose read others share is cancelled, the others get the result of another read")
    func cancellation() async throws {
        let manager = try manager()
        let id = try await signIn(manager)
        let gates = (store.holdRead(1), store.holdRead(2))
        let first = await start(1, manager, id)
        while store.reads == 0 { await Task.yield() }
        let others = await start(3, manager, id)
        gates.0.finish()
        _ = try await first[0].value
        while store.reads == 1 { await Task.yield() }
        let late = await start(1, manager, id)
        others[0].cancel()
        await #expect(throws: (any Error).self) { try await others[0].value }
        for caller in others.dropFirst() + late { #expect(try await caller.value.outcome == .stored) }
        #expect(store.reads == 3)
        gates.1.finish()
    }

    @Test("an error of a shared read reaches every caller, and the next caller reads again")
    func failure() async throws {
        let manager = try manager()
        let id = try await signIn(manager)
        let gate = store.holdRead(1)
        let first = await start(1, manager, id)
        while store.reads == 0 { await Task.yield() }
        let others = await start(5, manager, id)
        _ = try await store.remove(id)
        gate.finish()
        _ = try await first[0].value
        for caller in others {
            let error = await #expect(throws: IdentityError.self) { try await caller.value }
            #expect(error?.code == .sessionUnknown)
        }
        #expect(store.reads == 2)
        await #expect(throws: IdentityError.self) { try await manager.tokens(for: id) }
        #expect(store.reads == 3)
    }
}
