import FoundationEssentials
import IdentityBolt
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityTesting

protocol SFCCSuite {}

extension SFCCSuite {
    static var codePath: String { "/on/demandware.store/Sites-Shop-Site/default/Login-OAuthMobileBolt" }
    static var tokenPath: String { "/on/demandware.store/Sites-Shop-Site/default/Login-ExchangeSFCCToken" }

    func provider(
        _ shop: FakeBolt,
        in environment: IdentityEnvironment? = nil,
        _ change: (inout SFCCConfiguration) -> Void = { _ in }
    ) throws -> SFCCProvider {
        var configuration = SFCCConfiguration(
            name: "sfcc",
            host: String(shop.origin.dropFirst("http://".count)),
            siteID: "Shop"
        )
        configuration.allowsLoopbackHTTP = true
        configuration.timeout = .seconds(60)
        change(&configuration)
        return try SFCCProvider(configuration, environment: try environment ?? shop.environment())
    }

    /// A storefront with the responses that most tests need.
    func shop(_ token: LoopbackResponse? = nil) async throws -> FakeBolt {
        let shop = try await FakeBolt()
        shop.answer(Self.codePath, .json(["success": .bool(true)]))
        shop.answer(Self.tokenPath, try token ?? .json(["access_token": .string(jwt(shop))]))
        return shop
    }

    func jwt(_ shop: FakeBolt, _ change: (inout JSONObject) -> Void = { _ in }) throws -> String {
        let now = Int(shop.clock.now.timeIntervalSince1970)
        var claims: JSONObject = [
            "iss": .string("slas/prod/x"), "sub": .string("customer:1"), "exp": .integer(now + 900),
            "email": .string("ada@example.com"), "email_verified": .bool(true),
        ]
        change(&claims)
        return try shop.jwt(claims)
    }

    func signIn(_ provider: SFCCProvider, code: String = "C0DE") async throws -> TokenSet {
        let attempt = try await provider.authorizationRequest(LoginOptions()).attempt
        let callback = try LoginCallback(url: "/cb?code=\(code)&state=\(attempt.state.reveal())")
        return try await provider.exchange(callback, for: attempt)
    }
}
