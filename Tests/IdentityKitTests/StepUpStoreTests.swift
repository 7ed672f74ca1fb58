import FoundationEssentials
import IdentityKit
import IdentityTesting
import Synchronization
import Testing

/// A store whose removals and insertions return an error, although they may have taken effect.
private final class UncertainStore: WrappingStore {
    let inner: InMemoryStore
    private let state = Mutex<(removals: [Bool], insertion: IdentityError?)>(([], nil))
    private let isFirst = Atomic(true)
    /// The kind of every failure of a removal after the first one.
    private let laterKind: IdentityError.Kind

    init(_ inner: InMemoryStore, laterKind: IdentityError.Kind = .retryLater) {
        self.inner = inner
        self.laterKind = laterKind
    }

    /// The next removals fail; an element is true if the removal fails after the session was removed.
    func failRemovals(_ afterCommit: [Bool]) { state.withLock { $0.removals = afterCommit } }
    /// The next insertion of a session succeeds, but throws this error.
    func failInsertion(with error: IdentityError) { state.withLock { $0.insertion = error } }

    func insert(_ session: StoredSession) async throws {
        try await inner.insert(session)
        if let error = state.withLock({ $0.insertion.take() }) { throw error }
    }

    func remove(_ id: SessionID) async throws -> RemovedSession? {
        guard let isAfterCommit = state.withLock({ $0.removals.isEmpty ? nil : $0.removals.removeFirst() }) else {
            return try await inner.remove(id)
        }
        if isAfterCommit { _ = try await inner.remove(id) }
        let kind = isFirst.exchange(false, ordering: .relaxed) ? .retryLater : laterKind
        throw IdentityError(kind, .storeUnavailable, "The connection was lost.")
    }
}

@Suite("Step-ups and new sessions whose store fails or is full")
struct StepUpStoreTests {
    /// Steps a new session up, and returns its id and the new session.
    private func stepUp(
        _ world: RefreshStage,
        _ store: any SessionStore,
        _ before: (SessionID) async throws -> Void = { _ in }
    ) async throws -> (old: SessionID, new: SessionID) {
        let manager = try world.manager(store)
        let tokens = world.provider.mint(Buyer(issuer: "https://id.example", subject: "buyer-1"))
        let id = try await manager.establish(tokens, provider: "journaled").id
        let started = try await manager.beginStepUp(of: id)
        try await before(id)
        let callback = try LoginCallback(url: "https://app.example/cb?code=c&state=state-1")
        return (id, try await manager.complete(callback, browserBinding: started.browserBinding).session.id)
    }

    @Test("a step-up is possible at the tenant's maximum number of sessions, because its session replaces another one")
    func full() async throws {
        let world = RefreshStage()
        let store = InMemoryStore(maximumSessionsPerTenant: 1)
        let (_, new) = try await stepUp(world, store)
        #expect(try await store.sessions(matching: SessionFilter()).map(\.id) == [new])
        let tokens = world.provider.mint(Buyer(issuer: "https://id.example", subject: "buyer-2"))
        let error = await #expect(throws: IdentityError.self) {
            try await world.manager(store).establish(tokens, provider: "journaled")
        }
        #expect(error?.code == .storeFull)
    }

    @Test(
        "if the removal of the old session fails, it is tried again, and the new session remains",
        .timeLimit(.minutes(1)),
        arguments: [[true], [false], [false, true], [false, false, false, false, false]],
        [IdentityError.Kind.retryLater, .configuration]
    )
    func removal(_ failures: [Bool], _ laterKind: IdentityError.Kind) async throws {
        let world = RefreshStage()
        let store = UncertainStore(world.memory, laterKind: laterKind)
        let (_, new) = try await stepUp(world, store) { id in
            _ = try await store.setAttachment("note", to: Secret("1"), of: id, expecting: nil)
            store.failRemovals(failures)
        }
        // After several failures, the removal continues in the background.
        while try await world.memory.sessions(matching: SessionFilter()).count > 1 {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(try await world.memory.sessions(matching: SessionFilter()).map(\.id) == [new])
        if !failures.contains(true) {
            while try await store.attachment("note", of: new) == nil { try await Task.sleep(for: .milliseconds(5)) }
        }
        // The attachments are lost if the store does not return them.
        let isLost = failures.contains(true)
        #expect(try await (store.attachment("note", of: new) == nil) == isLost)
        #expect(world.provider.revoked.isEmpty)
    }

    @Test("a session is removed if the store returned an error although it has added the session")
    func insertion() async throws {
        let world = RefreshStage()
        let store = UncertainStore(world.memory)
        let tokens = world.provider.mint(Buyer(issuer: "https://id.example", subject: "buyer-1"))
        store.failInsertion(with: IdentityError(.retryLater, .storeUnavailable, "The connection was lost."))
        await #expect(throws: IdentityError.self) {
            try await world.manager(store).establish(tokens, provider: "journaled")
        }
        #expect(try await world.memory.sessions(matching: SessionFilter()).isEmpty)
        // This error says that another session has the id.
        store.failInsertion(with: .sessionExists)
        await #expect(throws: IdentityError.self) {
            try await world.manager(store).establish(tokens, provider: "journaled")
        }
        #expect(try await world.memory.sessions(matching: SessionFilter()).count == 1)
    }
}
