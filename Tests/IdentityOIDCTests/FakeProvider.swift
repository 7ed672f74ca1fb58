import FoundationEssentials
import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityOIDC
import IdentityTesting
import Synchronization
import TestDoubles

/// An OpenID provider on real sockets whose responses a test can replace.
final class FakeProvider: Sendable {
    private struct State {
        var origin = ""
        var requests: [LoopbackRequest] = []
        var replaced: [String: LoopbackResponse] = [:]
        var scripts: [String: [LoopbackResponse]] = [:]
        var intercept: @Sendable (LoopbackRequest) -> LoopbackResponse? = { _ in nil }
        var metadata: @Sendable (inout JSONObject) -> Void = { _ in }
        var answer: @Sendable (inout JSONObject) -> Void = { _ in }
        var deviceResponse: @Sendable (inout JSONObject) -> Void = { _ in }
        var claims: @Sendable (inout JSONObject) -> Void = { _ in }
        var nonce: String?
        var serial = 0
        var forge: TokenSigner
        var keys: [JSONValue]
    }

    private let state: Mutex<State>

    init() throws {
        let forge = try TokenSigner(.es256)
        state = Mutex(State(forge: forge, keys: [forge.jwk]))
    }

    var forge: TokenSigner { state.withLock { $0.forge } }
    var origin: String { state.withLock { $0.origin } }
    func serve(at origin: String) { state.withLock { $0.origin = origin } }
    func paths() -> [String] { state.withLock { $0.requests.map(\.path) } }
    func requests(to path: String) -> [LoopbackRequest] { state.withLock { $0.requests.filter { $0.path == path } } }

    /// Replaces the response at a path; nil restores the correct response.
    func replace(_ path: String, by response: LoopbackResponse?) { state.withLock { $0.replaced[path] = response } }
    /// Responds to the next requests to a path with these responses.
    func script(_ path: String, _ responses: [LoopbackResponse]) {
        state.withLock { $0.scripts[path] = responses.reversed() }
    }
    /// Inspects every request first; a returned response replaces the normal one.
    func intercept(_ body: @escaping @Sendable (LoopbackRequest) -> LoopbackResponse?) {
        state.withLock { $0.intercept = body }
    }
    func change(metadata: @escaping @Sendable (inout JSONObject) -> Void) { state.withLock { $0.metadata = metadata } }
    func change(answer: @escaping @Sendable (inout JSONObject) -> Void) { state.withLock { $0.answer = answer } }
    func change(claims: @escaping @Sendable (inout JSONObject) -> Void) { state.withLock { $0.claims = claims } }
    func change(deviceResponse: @escaping @Sendable (inout JSONObject) -> Void) {
        state.withLock { $0.deviceResponse = deviceResponse }
    }
    func expect(nonce: String?) { state.withLock { $0.nonce = nonce } }

    /// Signs with another key from now on.
    func rotate(to forge: TokenSigner, publishing isPublished: Bool) {
        state.withLock { state in
            state.forge = forge
            if isPublished { state.keys = [forge.jwk] }
        }
    }

    func respond(_ request: LoopbackRequest) -> LoopbackResponse {
        state.withLock { state in
            state.requests.append(request)
            if let answer = state.intercept(request) { return answer }
            if let replaced = state.replaced[request.path] { return replaced }
            if let scripted = state.scripts[request.path]?.popLast() { return scripted }
            switch request.path {
            case "/.well-known/openid-configuration": return Self.json(Self.metadata(state))
            case "/jwks": return Self.json(["keys": .array(state.keys)])
            case "/token":
                state.serial += 1
                guard let answer = try? Self.answer(state) else { return .message(status: 500) }
                return Self.json(answer)
            case "/device": return Self.json(Self.deviceResponse(state))
            case "/userinfo": return Self.json(["sub": .string("buyer-1"), "given_name": .string("Ada")])
            default: return .message(status: 404)
            }
        }
    }

    static func json(_ object: JSONObject, status: Int = 200) -> LoopbackResponse {
        let headers = [("Content-Type", "application/json")]
        return .message(status: status, headers: headers, body: JSONValue.object(object).serialized)
    }

    private static func metadata(_ state: State) -> JSONObject {
        var object: JSONObject = ["issuer": .string(state.origin)]
        let endpoints = [
            ("authorization_endpoint", "/authorize"), ("token_endpoint", "/token"), ("jwks_uri", "/jwks"),
            ("userinfo_endpoint", "/userinfo"), ("end_session_endpoint", "/logout"),
            ("device_authorization_endpoint", "/device"),
        ]
        for (name, path) in endpoints { object[name] = .string(state.origin + path) }
        object["id_token_signing_alg_values_supported"] = .array([.string("ES256"), .string("HS256")])
        object["code_challenge_methods_supported"] = .array([.string("S256")])
        state.metadata(&object)
        return object
    }

    private static func deviceResponse(_ state: State) -> JSONObject {
        var object: JSONObject = [
            "device_code": .string("device-code-1"), "user_code": .string("WDJB-MJHT"),
            "verification_uri": .string("https://id.example/device"),
            "verification_uri_complete": .string("https://id.example/device?user_code=WDJB-MJHT"),
            "expires_in": .integer(600), "interval": .integer(7),
        ]
        state.deviceResponse(&object)
        return object
    }

    private static func answer(_ state: State) throws -> JSONObject {
        let accessToken = "access-\(state.serial)"
        let hash = try Digest.sha256(Array(accessToken.utf8)).prefix(16)
        var claims = TokenSigner.goodClaims
        claims["iss"] = .string(state.origin)
        claims["nonce"] = state.nonce.map { .string($0) }
        claims["at_hash"] = .string(Base64URL.encode(Array(hash)))
        state.claims(&claims)
        var object: JSONObject = [
            "access_token": .string(accessToken), "token_type": .string("Bearer"), "expires_in": .integer(3600),
            "refresh_token": .string("refresh-\(state.serial)"), "scope": .string("openid email"),
            "id_token": .string(try state.forge.token(claims).reveal()),
        ]
        state.answer(&object)
        return object
    }
}

struct FakeWorld {
    let fake: FakeProvider
    let provider: OpenIDProvider
    let clock: ManualClock
    let environment: IdentityEnvironment

    static func run(
        clock: ManualClock = ManualClock(),
        _ configure: (inout OpenIDProvider.Configuration) -> Void = { _ in },
        _ body: (FakeWorld) async throws -> Void
    ) async throws {
        let fake = try FakeProvider()
        let server = try await LoopbackServer.start { fake.respond($0) }
        fake.serve(at: server.origin)
        let transport = try CurlTransport()
        let environment = IdentityEnvironment(transport: transport, clock: clock)
        var configuration = OpenIDProvider.Configuration(name: "fake", issuer: server.origin, clientID: "client-1")
        configuration.redirectURI = "https://app.example/callback?a=1&b=ü"
        configuration.scopes = ["openid", "email"]
        configuration.allowsLoopbackHTTP = true
        // A busy machine delays every response.
        configuration.timeout = .seconds(60)
        configure(&configuration)
        let provider = try OpenIDProvider(configuration, environment: environment)
        let world = FakeWorld(fake: fake, provider: provider, clock: clock, environment: environment)
        try await cleaningUp {
            await server.stop()
            await transport.close()
        } after: {
            try await body(world)
        }
    }

    /// Begins a login; the fake provider puts the login's nonce into the ID token.
    func begin(_ options: LoginOptions = LoginOptions()) async throws -> AuthorizationRequest {
        let request = try await provider.authorizationRequest(options)
        fake.expect(nonce: request.attempt.nonce?.reveal())
        return request
    }

    func callback(_ request: AuthorizationRequest, _ more: String = "") throws -> LoginCallback {
        try LoginCallback(form: Array("code=code-1&state=\(request.attempt.state.reveal())\(more)".utf8))
    }

    func login(_ options: LoginOptions = LoginOptions()) async throws -> TokenSet {
        let request = try await begin(options)
        return try await provider.exchange(try callback(request), for: request.attempt)
    }

    func manager(_ store: any SessionStore = InMemoryStore()) throws -> SessionManager {
        SessionManager(providers: try ProviderRegistry([provider]), store: store, environment: environment)
    }

    func refusal(_ options: LoginOptions = LoginOptions()) async -> IdentityError? {
        await failure { try await login(options) }
    }
}
