import FoundationEssentials
import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityOIDC
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

@Suite("OpenID provider: issuers, keys and addresses")
struct OpenIDProviderTrustTests {
    @Test("a login without the scope openid is refused")
    func withoutOpenID() async throws {
        try await FakeWorld.run { world in
            var options = LoginOptions()
            options.scopes = ["email"]
            #expect(await world.refusal(options)?.code == .configurationInvalid)
        }
        #expect(throws: IdentityError.self) {
            var configuration = OpenIDProvider.Configuration(name: "a", issuer: "https://id.example", clientID: "c")
            configuration.scopes = ["email"]
            _ = try OpenIDProvider(configuration, environment: IdentityEnvironment(transport: try CurlTransport()))
        }
    }

    @Test("if the metadata promise the parameter iss, a callback's iss is checked before the code is sent")
    func responseIssuer() async throws {
        try await FakeWorld.run { world in
            world.fake.change(metadata: { $0["authorization_response_iss_parameter_supported"] = .bool(true) })
            let request = try await world.begin()
            for more in ["", "&iss=", "&iss=https%3A%2F%2Fevil.example"] {
                let callback = try world.callback(request, more)
                let error = await #expect(throws: IdentityError.self) {
                    _ = try await world.provider.exchange(callback, for: request.attempt)
                }
                #expect(error?.code == .responseIssuerMismatch)
            }
            #expect(world.fake.requests(to: "/token").isEmpty)
            let good = try world.callback(request, "&iss=" + FormEncoding.escape(world.fake.origin))
            _ = try await world.provider.exchange(good, for: request.attempt)
        }
    }

    @Test("a login attempt of another issuer is refused before the code is sent")
    func boundIssuer() async throws {
        try await FakeWorld.run { world in
            var request = try await world.begin()
            request.attempt.issuer = "https://old.example"
            let callback = try world.callback(request)
            let attempt = request.attempt
            let error = await #expect(throws: IdentityError.self) {
                _ = try await world.provider.exchange(callback, for: attempt)
            }
            #expect(error?.code == .discoveryIssuerMismatch)
            let direct = await #expect(throws: IdentityError.self) {
                _ = try await world.provider.client.exchange(code: Secret("code-1"), for: attempt)
            }
            #expect(direct?.code == .discoveryIssuerMismatch)
            #expect(world.fake.requests(to: "/token").isEmpty)
        }
    }

    @Test("a callback of an expired login attempt is refused before the code is sent")
    func expiredAttempt() async throws {
        try await FakeWorld.run { world in
            let request = try await world.begin()
            let callback = try world.callback(request)
            world.clock.advance(by: .seconds(600))
            let error = await #expect(throws: IdentityError.self) {
                _ = try await world.provider.exchange(callback, for: request.attempt)
            }
            #expect(error?.code == .attemptExpired)
            #expect(world.fake.requests(to: "/token").isEmpty)
        }
    }

    @Test("after a refused step-up, no tokens of the buyer are revoked, also if the provider's issuer has changed")
    func steppedUpBuyer() async throws {
        let old = "https://old.example"
        try await FakeWorld.run { configuration in
            configuration.acceptedIssuers = .exactly([configuration.issuer, old])
        } _: { world in
            world.fake.change(metadata: { [origin = world.fake.origin] in
                $0["revocation_endpoint"] = .string("\(origin)/revoke")
            })
            for (subject, revocations) in [("buyer-1", 0), ("buyer-2", 1)] {
                var request = try await world.begin()
                request.attempt.steppedUpBuyer = Buyer(issuer: old, subject: subject)
                world.fake.expect(nonce: "of another login")
                let (callback, attempt) = (try world.callback(request), request.attempt)
                let error = await #expect(throws: IdentityError.self) {
                    _ = try await world.provider.exchange(callback, for: attempt)
                }
                #expect(error?.code == .idTokenNonce)
                #expect(world.fake.requests(to: "/revoke").count == revocations)
            }
        }
    }

    @Test("if the app sent a nonce that the SDK does not know, a refreshed ID token must have the same nonce")
    func nonceOfApp() async throws {
        try await FakeWorld.run { world in
            var request = try await world.begin()
            request.attempt.nonce = nil
            world.fake.expect(nonce: "of the app")
            let (callback, attempt) = (try world.callback(request), request.attempt)
            let tokens = try await world.provider.exchange(callback, for: attempt)
            #expect(try await world.provider.refresh(tokens).nonce?.reveal() == "of the app")
            world.fake.expect(nonce: "another")
            let error = await #expect(throws: IdentityError.self) { _ = try await world.provider.refresh(tokens) }
            #expect(error?.code == .idTokenNonce)
        }
    }

    @Test("the nonce of a buyer who is not known before a refresh is compared at the next refresh")
    func nonceOfNewBuyer() async throws {
        try await FakeWorld.run { world in
            let client = world.provider.client
            let stored = try client.storedTokens(Secret("refresh-1"), idToken: nil)
            try await world.provider.prepareRefresh(of: stored)
            world.fake.expect(nonce: "of the login")
            let response = try await world.provider.requestRefresh(of: stored, under: .notNeeded)
            let tokens = try await client.tokens(from: response, refreshing: stored, isBuyerKnown: false)
            #expect(try await world.provider.refresh(tokens).nonce?.reveal() == "of the login")
            world.fake.expect(nonce: "another")
            let error = await #expect(throws: IdentityError.self) { _ = try await world.provider.refresh(tokens) }
            #expect(error?.code == .idTokenNonce)
        }
    }

    @Test(
        "after a step-up whose ID token is missing or cannot be read, no tokens are revoked",
        arguments: [nil, "a.b.c.d.e"]
    )
    func unreadableStepUp(idToken: String?) async throws {
        try await FakeWorld.run { world in
            world.fake.change(metadata: { [origin = world.fake.origin] in
                $0["revocation_endpoint"] = .string("\(origin)/revoke")
            })
            world.fake.intercept { request in
                guard request.path == "/token" else { return nil }
                var response: JSONObject = [
                    "access_token": .string("access-9"), "refresh_token": .string("refresh-9"),
                    "token_type": .string("Bearer"), "expires_in": .integer(300),
                ]
                response["id_token"] = idToken.map { .string($0) }
                return FakeProvider.json(response)
            }
            for (buyer, revocations) in [(Buyer(issuer: world.fake.origin, subject: "buyer-1"), 0), (nil, 1)] {
                var request = try await world.begin()
                request.attempt.steppedUpBuyer = buyer
                let (callback, attempt) = (try world.callback(request), request.attempt)
                await #expect(throws: IdentityError.self) {
                    _ = try await world.provider.exchange(callback, for: attempt)
                }
                #expect(world.fake.requests(to: "/revoke").count == revocations)
            }
        }
    }

    @Test("the algorithms that the metadata list are accepted, but HMAC and none in the list are ignored")
    func algorithms() async throws {
        try await FakeWorld.run { world in
            world.fake.rotate(to: try TokenSigner(.rs256), publishing: true)
            #expect(await world.refusal()?.code == .idTokenAlgorithm)
        }
        try await FakeWorld.run { world in
            world.fake.rotate(to: try TokenSigner(.rs256), publishing: true)
            world.fake.change(metadata: {
                $0["id_token_signing_alg_values_supported"] = .array([.string("HS256"), .string("none")])
            })
            #expect(await world.refusal() == nil)
        }
        try await FakeWorld.run({ $0.algorithms = ["PS256"] }) { world in
            #expect(await world.refusal()?.code == .idTokenAlgorithm)
        }
    }

    @Test("a rotated key set is fetched again; no login succeeds with an invalid signature, also if the fetch fails")
    func keys() async throws {
        try await FakeWorld.run { world in
            #expect(await world.refusal() == nil)
            world.fake.rotate(to: try TokenSigner(.es256), publishing: true)
            #expect(await world.refusal() == nil)
            #expect(world.fake.requests(to: "/jwks").count == 2)
            world.fake.rotate(to: try TokenSigner(.es256), publishing: false)
            let error = await world.refusal()
            #expect(error?.code == .idTokenSignature)
            #expect(error?.kind == .rejected)
            world.clock.advance(by: .seconds(60))
            world.fake.replace("/jwks", by: .message(status: 503))
            let outage = await world.refusal()
            #expect(outage?.code == .providerUnavailable)
            #expect(outage?.kind == .retryLater)
        }
    }

    @Test("an ID token of another accepted issuer than the login's is refused")
    func anotherAcceptedIssuer() async throws {
        let fake = try FakeProvider()
        let server = try await LoopbackServer.start { fake.respond($0) }
        fake.serve(at: server.origin)
        let transport = try CurlTransport()
        let clock = ManualClock()
        var configuration = OpenIDProvider.Configuration(name: "fake", issuer: server.origin, clientID: "client-1")
        configuration.acceptedIssuers = [server.origin, "https://other.example"]
        configuration.allowsLoopbackHTTP = true
        configuration.timeout = .seconds(60)
        let environment = IdentityEnvironment(transport: transport, clock: clock)
        let provider = try OpenIDProvider(configuration, environment: environment)
        let world = FakeWorld(fake: fake, provider: provider, clock: clock, environment: environment)
        #expect(await world.refusal() == nil)
        fake.change(claims: { $0["iss"] = .string("https://other.example") })
        #expect(await world.refusal()?.code == .idTokenIssuer)
        await server.stop()
        await transport.close()
    }

    @Test(
        "an issuer that is not an https URL, has a query, or is too long for a discovery address is refused",
        arguments: [
            "http://id.example", "http://127.0.0.1:1", "https://id.example?a=1", "id.example", "",
            "https://id.example/" + String(repeating: "a", count: 8_160),
        ]
    )
    func issuer(text: String) throws {
        let environment = IdentityEnvironment(transport: RecordingTransport())
        let error = #expect(throws: IdentityError.self) {
            _ = try OpenIDProvider(.init(name: "a", issuer: text, clientID: "c"), environment: environment)
        }
        #expect(error?.code == .configurationInvalid)
    }

    @Test("discovered URLs may lead to public addresses only, configured ones to any")
    func addressPolicy() async throws {
        let transport = RecordingTransport()
        let environment = IdentityEnvironment(transport: transport, clock: ManualClock())
        var configuration = OpenIDProvider.Configuration(name: "a", issuer: "https://id.example", clientID: "c")
        configuration.redirectURI = "https://app.example/cb"
        let provider = try OpenIDProvider(configuration, environment: environment)
        let request = try await provider.authorizationRequest(LoginOptions())
        let callback = try LoginCallback(form: Array("code=c&state=\(request.attempt.state.reveal())".utf8))
        _ = try? await provider.exchange(callback, for: request.attempt)
        #expect(transport.policies == ["id.example any", "internal.example publicOnly"])
    }
}

/// Returns metadata with endpoints at other hosts, and records the address policy of each request.
private final class RecordingTransport: HTTPTransport {
    private let seen = Mutex<[String]>([])
    var policies: [String] { seen.withLock { $0 } }

    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        seen.withLock { $0.append("\(request.url.host) \(request.addressPolicy)") }
        guard request.url.host == "id.example" else { return HTTPResponse(status: 500) }
        let metadata: JSONObject = [
            "issuer": .string("https://id.example"), "authorization_endpoint": .string("https://id.example/a"),
            "token_endpoint": .string("https://internal.example/t"), "jwks_uri": .string("https://internal.example/k"),
        ]
        return HTTPResponse(status: 200, body: JSONValue.object(metadata).serialized)
    }
}
