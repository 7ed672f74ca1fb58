import FoundationEssentials
import IdentityBolt
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityTesting
import Synchronization
import TestDoubles

/// A fake Bolt that returns the responses of a test and records the requests.
final class FakeBolt: Sendable {
    static let key = "aaa.bbb.ccc"
    static let apiKey = "APIKEY"

    let server: LoopbackServer
    let clock = ManualClock()
    private let script: Script
    private let signer: TokenSigner
    // All tests share the signer, because creating an RSA key takes longer than a whole test.
    private static let sharedSigner = Result { try TokenSigner() }

    private final class Script: Sendable {
        let requests = Mutex<[LoopbackRequest]>([])
        let answers = Mutex<[String: [LoopbackResponse]]>([:])

        func answer(_ request: LoopbackRequest) -> LoopbackResponse {
            requests.withLock { $0.append(request) }
            return answers.withLock { answers in
                guard var list = answers[request.path], let first = list.first else {
                    return .message(status: 404, body: Array("nothing here".utf8))
                }
                if list.count > 1 { list.removeFirst() }
                answers[request.path] = list
                return first
            }
        }
    }

    init() async throws {
        let script = Script()
        self.script = script
        signer = try Self.sharedSigner.get()
        server = try await LoopbackServer.start { script.answer($0) }
        answer("/v1/oauth/jwks.json", keySet())
    }

    var origin: String { server.origin }
    var requests: [LoopbackRequest] { script.requests.withLock { $0 } }

    func requests(to path: String) -> [LoopbackRequest] {
        requests.filter { $0.path == path }
    }

    /// Sets the responses at a path, in order; the last one is repeated.
    func answer(_ path: String, _ answers: LoopbackResponse...) {
        script.answers.withLock { $0[path] = answers }
    }

    func environment() throws -> IdentityEnvironment {
        IdentityEnvironment(transport: try CurlTransport(), clock: clock, random: SeededRandom(seed: 7))
    }

    func configuration(
        _ authentication: BoltClientAuthentication = .confidential(apiKey: Secret(FakeBolt.apiKey))
    ) -> BoltProvider.Configuration {
        var configuration = BoltProvider.Configuration(
            name: "bolt",
            environment: .custom(apiBase: origin, issuers: ["https://api.bolt.com", "https://boltapp.com"]),
            publishableKey: " \(Self.key)\n",
            authentication: authentication
        )
        configuration.allowsLoopbackHTTP = true
        configuration.timeout = .seconds(60)
        return configuration
    }

    func provider(
        _ authentication: BoltClientAuthentication = .confidential(apiKey: Secret(FakeBolt.apiKey)),
        _ change: (inout BoltProvider.Configuration) -> Void = { _ in }
    ) throws -> BoltProvider {
        var configuration = configuration(authentication)
        change(&configuration)
        return try BoltProvider(configuration, environment: environment())
    }

    // MARK: Responses

    func idToken(_ change: (inout JSONObject) -> Void = { _ in }) throws -> String {
        let now = Int(clock.now.timeIntervalSince1970)
        var claims: JSONObject = [
            "iss": .string("https://api.bolt.com"), "sub": .string("BAc1"), "aud": .array([.string("ccc")]),
            "exp": .integer(now + 600), "iat": .integer(now), "email": .string("ada@example.com"),
            "email_verified": .bool(true), "first_name": .string("Ada"), "last_name": .string("Lovelace"),
            "phone_number": .string("+14155550123"), "phone_number_verified": .bool(true),
        ]
        change(&claims)
        return try jwt(claims)
    }

    func jwt(_ claims: JSONObject) throws -> String { try signer.token(claims).reveal() }

    func keySet() -> LoopbackResponse { .json(["keys": .array([signer.jwk])]) }

    func tokens(_ change: (inout JSONObject) -> Void = { _ in }) throws -> LoopbackResponse {
        var object: JSONObject = [
            "access_token": .string("AT1.sig"), "token_type": .string("bearer"), "expires_in": .integer(3600),
            "scope": .string("bolt.account.manage openid"), "refresh_token": .string("RT1.sig"),
            "refresh_token_scope": .string("bolt.account.view"), "id_token": .string(try idToken()),
        ]
        change(&object)
        return .json(object)
    }

    func signIn(_ provider: BoltProvider) async throws -> TokenSet {
        let attempt = try await provider.authorizationRequest(LoginOptions()).attempt
        let callback = try LoginCallback(url: "/callback?code=C0DE&scope=openid&state=\(attempt.state.reveal())")
        return try await provider.exchange(callback, for: attempt)
    }
}

extension LoopbackResponse {
    static func json(
        _ object: JSONObject,
        status: Int = 200,
        headers: [(String, String)] = []
    ) -> LoopbackResponse {
        .message(
            status: status,
            headers: [("Content-Type", "application/json")] + headers,
            body: JSONValue.object(object).serialized
        )
    }
}
