import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import StorefrontSandbox
import Synchronization
import Testing

@testable import IdentitySandbox

@Suite struct FaultTests {
    @Test(
        "a replaced response arrives as configured, and the provider has not executed the request",
        arguments: [
            (SandboxFault.htmlPage(status: 500), 500, nil as String?),
            (.oauthError("invalid_grant"), 400, "invalid_grant"),
            (.oauthError("invalid_client", status: 200), 200, "invalid_client"),
            (.shopifyUpstreamFailure, 401, ""), (.shopifyOriginMissing, 401, nil), (.shopifyAccessDenied, 403, nil),
            (.tooManyRequests(retryAfter: 7), 429, "rate_limited"),
            (.redirect(to: "https://shopify.com/", status: 301), 301, nil),
            (.boltInvalidGrantWithBlank, 422, "invalid _grant"), (.boltRequestForbidden, 403, "request_forbidden"),
        ]
    )
    func replaced(fault: SandboxFault, status: Int, error: String?) async throws {
        let sandbox = try await ShopSandbox.start()
        let login = ShopifyLogin(sandbox)
        let code = try await login.code()
        sandbox.shopify.planFault(fault, on: .token)
        let answer = try await login.exchange(code)
        #expect(answer.status == status)
        #expect(answer.json["error"]?.string == error)
        #expect(try await login.exchange(code).status == 200)
        await sandbox.stop()
    }

    @Test("the ID token can have every error that a client must detect")
    func idTokens() async throws {
        let sandbox = try await ShopSandbox.start()
        func token(_ fault: SandboxFault) async throws -> String {
            sandbox.shopify.planFault(fault, on: .token)
            return try await ShopifyLogin(sandbox).tokens()["id_token"]?.string ?? ""
        }
        func claim(_ name: String, _ fault: SandboxFault) async throws -> JSONValue? {
            TestClient.part(1, of: try await token(fault))[name]
        }
        #expect(try await claim("nonce", .claim("nonce", .string("other"))) == .string("other"))
        #expect(try await claim("iss", .claim("iss", nil)) == nil)
        #expect(try await claim("sub", .numericSubject)?.number?.integer == 7_000_000_001)
        #expect(try await claim("aud", .audienceArray(others: "x"))?.array?.count == 2)
        let times = TestClient.part(1, of: try await token(.shiftClaim("exp", by: -3600)))
        #expect(times["exp"] == times["iat"])
        let unsigned = try await token(.signature(.absent))
        #expect(TestClient.part(0, of: unsigned)["alg"]?.string == "none")
        #expect(unsigned.hasSuffix("."))
        let confused = try await token(.signature(.hmacWithPublicKey))
        #expect(TestClient.part(0, of: confused)["alg"]?.string == "HS256")
        #expect(try await TestClient.part(0, of: token(.tokenHeader("kid", nil)))["kid"] == nil)
        for kind in [SandboxIDToken.Signature.corrupted, .foreignKey] {
            let wrong = try await token(.signature(kind))
            #expect(TestClient.part(0, of: wrong)["kid"]?.string == "id_0")
            #expect(sandbox.shopify.tokens.state.withLock { $0.keyring.claims(of: wrong) } == nil)
        }
        await sandbox.stop()
    }

    @Test("members of a response can be removed and set, and the key set can contain unusual keys")
    func edited() async throws {
        let sandbox = try await ShopSandbox.start()
        sandbox.shopify.planFault(
            .withoutMembers("refresh_token", "id_token").and(.member("expires_in", .string("3600"))),
            on: .token
        )
        let answer = try await ShopifyLogin(sandbox).tokens()
        #expect(answer["refresh_token"] == nil)
        #expect(answer["id_token"] == nil)
        #expect(answer["expires_in"]?.string == "3600")
        sandbox.shopify.planFault(.unknownKeys, on: .jwks)
        let keys = try await TestClient.shared.json(sandbox.shopify.endpoints.jwks)
        #expect(keys["keys"]?.array?.count == 4)
        sandbox.shopify.planFault(.member("issuer", .string("https://evil.example")), on: .discovery)
        let discovered = try await TestClient.shared.json(
            sandbox.storefront.origin + "/.well-known/openid-configuration"
        )
        #expect(discovered["issuer"]?.string == "https://evil.example")
        await sandbox.stop()
    }

    @Test(
        "loseResponse drops the response after the provider executed the request, and reset closes the connection before that"
    )
    func lost() async throws {
        let sandbox = try await ShopSandbox.start()
        let login = ShopifyLogin(sandbox)
        let token = try await login.tokens()["refresh_token"]?.string
        sandbox.shopify.planFault(.reset, on: .token)
        await #expect(throws: HTTPTransportError.self) { _ = try await login.refresh(token) }
        #expect(sandbox.shopify.counters.refreshes == 0)
        sandbox.shopify.planFault(.loseResponse, on: .token)
        await #expect(throws: HTTPTransportError.self) { _ = try await login.refresh(token) }
        #expect(sandbox.shopify.counters.refreshes == 1)
        #expect(try await login.refresh(token).json["error"]?.string == "invalid_grant")
        await sandbox.stop()
    }

    @Test("the sandbox can delay, slow down, truncate or fail a response, and removeAllFaults() ends the fault")
    func slow() async throws {
        let sandbox = try await ShopSandbox.start()
        let url = sandbox.bolt.jwksEndpoint
        let start = ContinuousClock.now
        sandbox.bolt.planFault(.delay(.milliseconds(150)), on: .jwks)
        #expect(try await TestClient.shared.send(.get, url).status == 200)
        #expect(ContinuousClock.now - start >= .milliseconds(150))
        sandbox.bolt.planFault(.drip(bytes: 64, every: .milliseconds(1)), on: .jwks)
        #expect(try await TestClient.shared.json(url)["keys"]?.array?.count == 1)
        sandbox.bolt.planFault(.cut(afterBytes: 200), on: .jwks)
        await #expect(throws: HTTPTransportError.self) { _ = try await TestClient.shared.send(.get, url) }
        sandbox.bolt.planFault(.status(500), on: .jwks, times: 2)
        #expect(try await TestClient.shared.send(.get, url).status == 500)
        sandbox.bolt.removeAllFaults()
        #expect(try await TestClient.shared.send(.get, url).status == 200)
        await sandbox.stop()
    }

    @Test("the Storefront API can be made to throttle, deny, reject, omit the cart and return unknown codes")
    func storefront() async throws {
        let sandbox = try await ShopSandbox.start()
        let client = CartClient(sandbox: sandbox)
        func create(_ fault: SandboxFault) async throws -> JSONValue {
            sandbox.storefront.planFault(fault, on: .storefront)
            return try await client.run(
                "mutation { cartCreate { cart { id note } userErrors { code field } warnings { code } } }"
            )
        }
        let throttled = try await create(.storefrontThrottled)
        #expect(throttled["errors"]?.array?.first?["extensions"]?["code"]?.string == "THROTTLED")
        #expect(sandbox.storefront.cartStates.isEmpty)
        let denied = try await create(.storefrontAccessDenied(path: "cartCreate", "cart", "note"))
        #expect(denied["data"]?["cartCreate"]?["cart"]?["id"]?.string != nil)
        #expect(denied["errors"]?.array?.count == 1)
        #expect(try await create(.storefrontNullCart)["data"]?["cartCreate"]?["cart"]?.isNull == true)
        #expect(sandbox.storefront.cartStates.count == 2)
        let unknown = try await create(
            .storefrontUserError(code: "FROM_THE_FUTURE", field: ["x"]).and(.storefrontWarning(code: "NEW"))
        )
        #expect(unknown["data"]?["cartCreate"]?["userErrors"]?.array?.first?["code"]?.string == "FROM_THE_FUTURE")
        #expect(unknown["data"]?["cartCreate"]?["warnings"]?.array?.first?["code"]?.string == "NEW")
        #expect(try await create(.storefrontErrorsText("Not Found", status: 404))["errors"]?.string == "Not Found")
        #expect(
            try await create(.storefrontErrorsObject(["query": .string("?")], status: 400))["errors"]?["query"] != nil
        )
        sandbox.storefront.planFault(.storefrontSecurityRejection, on: .storefront)
        let rejected = try await TestClient.shared.send(.post, sandbox.storefront.endpoint, body: "{}")
        #expect(rejected.status == 430)
        await sandbox.stop()
    }

    @Test("a negative number in a fault or a plan counts as zero, and a shifted claim stays in the range of integers")
    func negative() async throws {
        let sandbox = try await ShopSandbox.start()
        for fault in [SandboxFault.largeBody(-1), .headerBomb(fields: -1), .headerBomb(fields: 1, bytes: -1)] {
            sandbox.shopify.planFault(fault, on: .jwks)
            #expect(try await TestClient.shared.send(.get, sandbox.shopify.endpoints.jwks).status == 200)
        }
        _ = SandboxFault.gzipBomb(.min)
        sandbox.shopify.planFault(.dots(-1), on: .token)
        #expect(try await ShopifyLogin(sandbox).tokens()["id_token"] == .string(""))
        sandbox.shopify.planFault(.claim("exp", .integer(.max)).and(.shiftClaim("exp", by: 1)), on: .token)
        let token = try await ShopifyLogin(sandbox).tokens()["id_token"]?.string ?? ""
        #expect(TestClient.part(1, of: token)["exp"] == .integer(.max))
        sandbox.storefront.refuseNext(code: "INVALID", times: -1)
        sandbox.storefront.throttleNextCompletions(times: -1)
        sandbox.storefront.swallowNextTokens(times: -1)
        sandbox.storefront.swallowNextTokens()
        let identity: JSONObject = ["customerAccessToken": .string("unknown")]
        let created = try await CartClient(sandbox: sandbox).create(["buyerIdentity": .object(identity)])
        #expect(created["userErrors"]?.array?.isEmpty == true)
        await sandbox.stop()
    }

    @Test("requests are saved unchanged under their endpoint")
    func noted() async throws {
        let sandbox = try await ShopSandbox.start()
        _ = try await ShopifyLogin(sandbox).exchange("a+b&c=d/ü")
        let request = try #require(sandbox.shopify.requests(to: .token).first)
        #expect(request.formValue("code") == "a+b&c=d/ü")
        #expect(request.bodyText.contains("code=a%2Bb%26c%3Dd%2F%C3%BC"))
        #expect(request.header("USER-AGENT") == "tests")
        #expect(sandbox.shopify.counters.tokenRefusals == 1)
        sandbox.shopify.forgetRequests()
        #expect(sandbox.shopify.requests.isEmpty)
        await sandbox.stop()
    }
}
