import IdentityKit
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

/// A cart that logs out the session whose end it is told, and keeps the error.
private final class RepeatingCart: SessionParticipant {
    private let manager: SessionManager
    private let options: LogoutOptions
    private let failure = Mutex<IdentityError?>(nil)
    var code: IdentityError.Code? { failure.withLock { $0?.code } }

    init(_ manager: SessionManager, _ options: LogoutOptions) {
        self.manager = manager
        self.options = options
    }

    func sessionRefreshed(_ session: Session) async throws {}
    func sessionEnded(_ session: Session, attachments: [String: Secret]) async throws {
        do { _ = try await manager.logout(session.id, options: options) } catch let error as IdentityError {
            failure.withLock { $0 = error }
        }
    }
}

/// A cart that logs out the session that is linked with the ended one, and keeps the errors.
private final class LinkingCart: SessionParticipant {
    private let manager: SessionManager
    private let links: [SessionID: SessionID]
    private let failures = Mutex<[IdentityError.Code]>([])
    var codes: [IdentityError.Code] { failures.withLock { $0 } }

    init(_ manager: SessionManager, _ links: [SessionID: SessionID]) {
        self.manager = manager
        self.links = links
    }

    func sessionRefreshed(_ session: Session) async throws {}
    func sessionEnded(_ session: Session, attachments: [String: Secret]) async throws {
        guard let other = links[session.id] else { return }
        do { _ = try await manager.logout(other) } catch let error as IdentityError {
            failures.withLock { $0.append(error.code) }
        }
    }
}

@Suite("Repeated logouts", .timeLimit(.minutes(5)))
struct RepeatedLogoutTests {
    private let options = LogoutOptions(returningTo: "https://app.example/signed-out")

    @Test("a logout during a logout of the same session returns the same logout page, unless its options differ")
    func sharedResult() async throws {
        var configuration = LogoutStage.patient
        configuration.revocationTimeout = .seconds(60)
        let stage = try LogoutStage(configuration: configuration)
        let executor = SerialTaskExecutor()
        let (arrived, release) = (Gate(), Gate())
        stage.provider.onRevocation { _ in
            arrived.open()
            await release.wait()
        }
        let session = try await stage.signIn()
        let first = Task { try await stage.manager.logout(session, options: options) }
        await arrived.wait()
        let second = Task(executorPreference: executor) { try await stage.manager.logout(session, options: options) }
        // The browser that sends the second request drops the first one.
        first.cancel()
        await executor.settle()
        let other = await failure(of: { try await stage.manager.logout(session, options: LogoutOptions()) })
        #expect(other?.code == .sessionUnknown)
        release.open()
        let (one, two) = (try await first.value, try await second.value)
        let (page, binding) = (try #require(one.browserURL), try #require(one.awaitedReturn).browserBinding)
        #expect(two.browserURL == page && two.awaitedReturn?.browserBinding.isEqual(to: binding) == true)
        #expect(stage.provider.revoked.count == 1 && stage.provider.returns.count == 1)
        let late = await failure(of: { try await stage.manager.logout(session, options: options) })
        #expect(late?.code == .sessionUnknown)
    }

    @Test("logouts of two sessions do not wait for each other if a cart logs out the other session")
    func linkedSessions() async throws {
        let stage = try LogoutStage()
        let (one, other) = (try await stage.signIn(), try await stage.signIn())
        let cart = LinkingCart(stage.manager, [one: other, other: one])
        stage.manager.add(cart)
        let result = try await stage.manager.logout(one)
        #expect(result.problems.isEmpty && cart.codes == [.sessionUnknown])
    }

    @Test("a logout does not wait for itself if a cart logs out the same session")
    func logoutOfCart() async throws {
        let stage = try LogoutStage()
        let cart = RepeatingCart(stage.manager, options)
        stage.manager.add(cart)
        let result = try await stage.manager.logout(try await stage.signIn(), options: options)
        #expect(result.problems.isEmpty && cart.code == .sessionUnknown)
    }
}
