import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityOIDC
import IdentitySandbox
import IdentityTesting
import Synchronization
import Testing

@Suite("Login on another device, at the sandbox")
struct SandboxDeviceTests {
    /// Runs an action before the n-th token request is sent.
    private final class Interposed: HTTPTransport {
        let inner: CurlTransport
        let happening: @Sendable (Int) async throws -> Void
        private let requests = Mutex(0)

        init(_ inner: CurlTransport, _ happening: @escaping @Sendable (Int) async throws -> Void) {
            self.inner = inner
            self.happening = happening
        }

        func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
            if request.url.path.hasSuffix("/token") {
                let number = requests.withLock { count in
                    count += 1
                    return count
                }
                try? await happening(number)
            }
            return try await inner.send(request)
        }
    }

    /// Signs in at a sandbox that uses the same clock; the buyer enters the code before the n-th token request.
    private func login(
        answering answer: Int,
        as behaviour: SandboxBuyer.Behaviour = .signIn,
        withDPoPNonce nonce: SandboxOpenIDConfiguration.DPoPNonce? = nil,
        _ planFaults: (SandboxOpenID) -> Void = { _ in },
        then use: (SessionManager, Session) async throws -> Void = { _, _ in }
    ) async throws -> (session: Session?, error: IdentityError?, elapsed: Duration, violations: Int) {
        let clock = ManualClock(isAdvancedBySleeping: true)
        var configuration = SandboxConfiguration()
        configuration.clock = clock
        configuration.openID.supportsDeviceAuthorization = true
        configuration.openID.dpop = nonce == nil ? .off : .required
        configuration.openID.dpopNonce = nonce ?? .none
        let sandbox = try await Sandbox.start(configuration)
        planFaults(sandbox.openID)
        let transport = try CurlTransport()
        let robot = SandboxBuyer(behaviour: behaviour, transport: transport)
        let shown = Mutex<DeviceLoginPrompt?>(nil)
        let interposed = Interposed(transport) { number in
            guard number == answer, let prompt = shown.withLock({ $0 }) else { return }
            try await robot.answerDevice(at: prompt.verificationURI.text, userCode: prompt.userCode)
        }
        let environment = IdentityEnvironment(transport: interposed, clock: clock)
        var provider = OpenIDProvider.Configuration(
            name: "any",
            issuer: sandbox.openID.issuer,
            clientID: sandbox.openID.configuration.clientID
        )
        provider.authentication = .secretBasic(Secret(sandbox.openID.configuration.clientSecret ?? ""))
        provider.usesDPoP = nonce != nil
        provider.allowsLoopbackHTTP = true
        provider.timeout = .seconds(60)
        let sessions = SessionManager(
            providers: try ProviderRegistry([try OpenIDProvider(provider, environment: environment)]),
            store: InMemoryStore(),
            environment: environment
        )
        var session: Session?
        var error: IdentityError?
        do {
            session = try await sessions.deviceLogin("any") { prompt in shown.withLock { $0 = prompt } }
        } catch let refusal as IdentityError {
            error = refusal
        }
        if let session { try await use(sessions, session) }
        let violations = sandbox.openID.violations.count
        await sandbox.stop()
        await transport.close()
        return (session, error, clock.elapsed, violations)
    }

    @Test("a device login keeps the interval and uses the code once, so a strict provider reports no violation")
    func strict() async throws {
        let result = try await login(answering: 3)
        #expect(result.error == nil)
        #expect(result.session?.buyer.subject.isEmpty == false)
        #expect(result.elapsed == .seconds(15))
        #expect(result.violations == 0)
    }

    @Test("a device login continues after a 500, an HTML page, a reset connection and a 429")
    func outages() async throws {
        let result = try await login(answering: 1) { openID in
            for outage in [
                SandboxFault.answer(status: 500), .htmlPage(status: 502), .reset,
                .tooManyRequests(retryAfter: 40),
            ] {
                openID.planFault(outage, on: .token)
            }
        }
        #expect(result.session != nil)
        // The pause doubles after each outage, up to a minute. Here Retry-After is shorter.
        #expect(result.elapsed == .seconds(5 + 10 + 20 + 40 + 60))
        #expect(result.violations == 0)
    }

    @Test("a device login ends when the buyer refuses or the code expires")
    func refused() async throws {
        let denied = try await login(answering: 2, as: .deny)
        #expect(denied.error?.code == .accessDenied)
        #expect(denied.elapsed == .seconds(10))
        let lost = try await login(answering: .max)
        #expect(lost.error?.code == .attemptExpired)
        #expect(lost.elapsed == .seconds(600))
        #expect(lost.violations == 0)
    }

    @Test("an invalid ID token fails the device login")
    func lies() async throws {
        let result = try await login(answering: 1) { openID in
            openID.planFault(.idToken { $0.claims["aud"] = .string("somebody-else") }, on: .token)
        }
        #expect(result.error?.code == .idTokenAudience)
    }

    @Test(
        "a device's tokens are bound to a DPoP key, and a required nonce uses up neither poll nor code",
        arguments: [.none, .demanded, .rotating] as [SandboxOpenIDConfiguration.DPoPNonce]
    )
    func bound(nonce: SandboxOpenIDConfiguration.DPoPNonce) async throws {
        // The first poll is sent twice if a nonce is required.
        let result = try await login(
            answering: nonce == .none ? 2 : 3,
            withDPoPNonce: nonce,
            then: { sessions, session in
                let tokens = try await sessions.refreshTokens(for: session.id).tokens
                #expect(tokens.tokenType.lowercased() == "dpop")
                #expect(try await sessions.buyerProfile(for: session.id).subject == session.buyer.subject)
            }
        )
        #expect(result.error == nil)
        #expect(result.elapsed == .seconds(10))
        #expect(result.violations == 0)
    }
}
