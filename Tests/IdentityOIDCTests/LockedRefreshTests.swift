import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityOIDC
import Synchronization
import Testing

@Suite("Refreshes with a lock that expires")
struct LockedRefreshTests {
    /// Records the timeout of each token request, and runs an action after each response.
    private final class Recorder: HTTPTransport {
        private let inner: any HTTPTransport
        private let noted = Mutex<[HTTPLimits]>([])
        private let afterResponse: @Sendable () -> Void
        var limits: [HTTPLimits] { noted.withLock(\.self) }

        init(_ inner: any HTTPTransport, afterResponse: @escaping @Sendable () -> Void) {
            self.inner = inner
            self.afterResponse = afterResponse
        }

        func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
            guard request.url.path == "/token" else { return try await inner.send(request) }
            noted.withLock { $0.append(request.limits) }
            let response = try await inner.send(request)
            afterResponse()
            return response
        }
    }

    private final class Lock: Sendable {
        private let left: Mutex<Duration>
        init(_ left: Duration) { self.left = Mutex(left) }
        func set(_ duration: Duration) { left.withLock { $0 = duration } }
        var held: HeldLock { HeldLock { self.left.withLock(\.self) } }
    }

    /// Refreshes DPoP-bound tokens at a provider that requires a DPoP nonce, which takes two requests.
    private static func refresh(
        under lock: Lock,
        afterResponse: @escaping @Sendable () -> Void
    ) async throws -> (limits: [HTTPLimits], requests: Int, error: IdentityError?) {
        var result: (limits: [HTTPLimits], requests: Int, error: IdentityError?)?
        try await FakeWorld.run({ $0.usesDPoP = true }) { world in
            world.fake.change(answer: { $0["token_type"] = .string("DPoP") })
            let tokens = try await world.login()
            world.fake.intercept { request in
                guard request.path == "/token", ObservedProof.nonce(in: request) != "n-1" else { return nil }
                return .message(
                    status: 400,
                    headers: [("Content-Type", "application/json"), ("DPoP-Nonce", "n-1")],
                    body: Array(#"{"error":"use_dpop_nonce"}"#.utf8)
                )
            }
            let before = world.fake.requests(to: "/token").count
            let recorder = Recorder(world.environment.transport, afterResponse: afterResponse)
            var configuration = OpenIDProvider.Configuration(
                name: "fake",
                issuer: world.fake.origin,
                clientID: "client-1"
            )
            configuration.allowsLoopbackHTTP = true
            configuration.usesDPoP = true
            configuration.timeout = .seconds(60)
            let environment = IdentityEnvironment(transport: recorder, clock: world.clock)
            let provider = try OpenIDProvider(configuration, environment: environment)
            var failure: IdentityError?
            do {
                _ = try await provider.requestRefresh(of: tokens, under: lock.held)
            } catch let refusal as RefreshRefusal {
                failure = refusal.error
                #expect(refusal.kind == .transient)
            }
            result = (recorder.limits, world.fake.requests(to: "/token").count - before, failure)
        }
        return try #require(result)
    }

    @Test("a refresh request, and its repetition with a DPoP nonce, time out when the lock expires at the latest")
    func capped() async throws {
        let lock = Lock(.seconds(300))
        let result = try await Self.refresh(under: lock) { lock.set(.seconds(50)) }
        #expect(result.error == nil)
        #expect(result.requests == 2)
        #expect(result.limits.map(\.totalTimeout) == [.seconds(60), .seconds(50)])
        #expect(result.limits.map(\.firstByteTimeout) == [.seconds(60), .seconds(50)])
        #expect(result.limits.map(\.connectTimeout) == [.seconds(5), .seconds(5)])
    }

    @Test("after the lock is lost, a refresh request is not repeated with a DPoP nonce")
    func lost() async throws {
        let lock = Lock(.seconds(300))
        let result = try await Self.refresh(under: lock) { lock.set(.zero) }
        #expect(result.error?.code == .refreshBusy)
        #expect(result.error?.kind == .retryLater)
        #expect((result.error?.cause as? HTTPTransportError)?.code == .sendingRefused)
        #expect(result.requests == 1)
    }

    @Test("a refresh request is not sent if the lock is lost while the connection is established")
    func whileConnecting() async throws {
        try await FakeWorld.run { world in
            let tokens = try await world.login()
            let before = world.fake.requests(to: "/token").count
            let asked = Mutex(0)
            // The lock is held when the request is created, and lost before it is sent.
            let lock = HeldLock {
                asked.withLock {
                    $0 += 1; return $0
                } == 1 ? .seconds(8) : .zero
            }
            let refusal = await #expect(throws: RefreshRefusal.self) {
                _ = try await world.provider.requestRefresh(of: tokens, under: lock)
            }
            #expect(refusal?.kind == .transient)
            #expect(refusal?.error.code == .refreshBusy)
            #expect(world.fake.requests(to: "/token").count == before)
            #expect(asked.withLock(\.self) == 2)
        }
    }
}
