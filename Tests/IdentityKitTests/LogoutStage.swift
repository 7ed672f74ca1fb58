import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityTesting
import Synchronization
import Testing

/// A provider with a logout page, in memory.
final class LeavingProvider: IdentityProvider, LogoutStateSupporting {
    let inner: StrictProvider
    var descriptor: ProviderDescriptor { inner.descriptor }

    init(clock: ManualClock, name: String = "leaving") {
        inner = StrictProvider(clock: clock, name: name)
    }

    func authorizationRequest(_ options: LoginOptions) async throws -> AuthorizationRequest {
        try await inner.authorizationRequest(options)
    }
    func exchange(_ callback: LoginCallback, for attempt: LoginAttempt) async throws -> TokenSet {
        try await inner.exchange(callback, for: attempt)
    }
    func refresh(_ tokens: TokenSet) async throws -> TokenSet { try await inner.refresh(tokens) }
    func logoutURL(for tokens: TokenSet, returningTo uri: String?) async throws -> HTTPURL? {
        try HTTPURL("https://id.example/logout")
    }
    func logoutURL(for tokens: TokenSet, returningTo uri: String, state: Secret) async throws -> HTTPURL? {
        try HTTPURL("https://id.example/logout?state=\(state.reveal())")
    }
}

/// A store in which what a test names fails.
final class TroubledStore: SessionStore {
    enum Operation: Hashable {
        case insertAttempt
    }

    let inner = InMemoryStore()
    private let broken = Mutex<Set<Operation>>([])

    func setBroken(_ operations: Operation...) { broken.withLock { $0 = Set(operations) } }

    private func check(_ operation: Operation) throws {
        guard !broken.withLock({ $0.contains(operation) }) else {
            throw IdentityError(.retryLater, .storeBusy, "Busy.")
        }
    }

    func insert(_ session: StoredSession) async throws { try await inner.insert(session) }
    func session(_ id: SessionID) async throws -> StoredSession? { try await inner.session(id) }
    func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool {
        try await inner.replace(session, expecting: generation)
    }
    func remove(_ id: SessionID) async throws -> RemovedSession? { try await inner.remove(id) }
    func sessions(matching filter: SessionFilter) async throws -> [StoredSession] {
        try await inner.sessions(matching: filter)
    }
    func insert(_ attempt: StoredLoginAttempt) async throws {
        try check(.insertAttempt)
        try await inner.insert(attempt)
    }
    func takeLoginAttempt(_ key: String) async throws -> StoredLoginAttempt? { try await inner.takeLoginAttempt(key) }
    func attachment(_ name: String, of id: SessionID) async throws -> SessionAttachment? {
        try await inner.attachment(name, of: id)
    }
    func setAttachment(
        _ name: String,
        to payload: Secret?,
        of id: SessionID,
        expecting revision: Int64?
    ) async throws -> Bool {
        try await inner.setAttachment(name, to: payload, of: id, expecting: revision)
    }
}

/// A manager over two providers that can end sessions in every way.
struct LogoutStage {
    private struct NoNetwork: HTTPTransport {
        func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
            throw HTTPTransportError(code: .connectionFailed, phase: .notSent, message: "No network in this test.")
        }
    }

    let clock = ManualClock()
    let store = TroubledStore()
    let provider: LeavingProvider
    let other: LeavingProvider
    let manager: SessionManager

    init() throws {
        provider = LeavingProvider(clock: clock)
        other = LeavingProvider(clock: clock, name: "other")
        manager = SessionManager(
            providers: try ProviderRegistry([provider, other, StrictProvider(clock: clock)]),
            store: store,
            environment: IdentityEnvironment(transport: NoNetwork(), clock: clock)
        )
    }

    func signIn(_ subject: String = "buyer-1", provider name: String = "leaving") async throws -> SessionID {
        let tokens = provider.inner.mint(Buyer(issuer: "https://id.example", subject: subject))
        return try await manager.establish(tokens, provider: name).id
    }
}
