import IdentityHTTP
import IdentityKit
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

/// A session manager with one provider and a store in memory.
struct LoginStage {
    let clock = ManualClock()
    let store = InMemoryStore()
    let provider: StrictProvider
    let manager: SessionManager

    init(lifetime: Double = 3600) throws {
        provider = StrictProvider(clock: clock, lifetime: lifetime)
        let environment = IdentityEnvironment(transport: NoNetwork(), clock: clock)
        manager = SessionManager(
            providers: try ProviderRegistry([provider]),
            store: store,
            environment: environment
        )
    }

    func signIn() async throws -> Session {
        try await manager.establish(
            provider.mint(Buyer(issuer: "https://id.example", subject: "buyer-1")),
            provider: "strict"
        )
    }

    func beginAndCallback() async throws -> (started: StartedLogin, callback: LoginCallback) {
        let started = try await manager.begin("strict")
        let state = try #require(started.url.query)
        return (started, try LoginCallback(form: Array("code=c&\(state)".utf8)))
    }
}

final class RecordingDelegate: LoginDelegate {
    let calls = Mutex<[String]>([])
    func loginDidComplete(_ session: Session) { calls.withLock { $0.append("completed") } }
    func loginDidFail(_ error: IdentityError) { calls.withLock { $0.append("failed \(error.code)") } }
    func loginDidCancel() { calls.withLock { $0.append("cancelled") } }
}
