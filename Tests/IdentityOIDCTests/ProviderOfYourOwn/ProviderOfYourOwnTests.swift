import Foundation
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityOIDC
import IdentitySandbox
import IdentityTesting
import TestDoubles
import Testing

@Suite("A provider of your own")
struct ProviderOfYourOwnTests {
    private static let redirectURI = "https://app.example/callback/any"

    /// Creates the guide's provider from a configuration entry that points to the sandbox.
    private func provider(at sandbox: Sandbox, factory: any ProviderFactory) throws -> any IdentityProvider {
        let openID = SandboxOpenIDConfiguration()
        let entry: JSONObject = [
            "kind": .string(factory.kind), "issuer": .string(sandbox.openID.issuer),
            "clientID": .string(openID.clientID), "clientSecret": .object(["env": .string("SECRET")]),
            "redirectURI": .string(Self.redirectURI), "allowsLoopbackHTTP": .bool(true),
            "scopes": .array([.string("openid"), .string("email")]), "timeout": .integer(60),
        ]
        let json = JSONValue.object(["providers": .object(["any": .object(entry)])])
        let registry = try ProviderRegistry(
            try IdentityConfiguration(
                json: json.serialized,
                environmentVariables: ["SECRET": openID.clientSecret ?? ""]
            ),
            factories: [factory],
            environment: IdentityEnvironment(transport: try CurlTransport())
        )
        return try registry.provider(named: "any")
    }

    private func login(_ provider: any IdentityProvider) async throws -> TokenSet {
        let request = try await provider.authorizationRequest(LoginOptions())
        let url = try await SandboxBuyer().login(at: request.url.text, redirectURI: Self.redirectURI)
        return try await provider.exchange(try LoginCallback(url: url), for: request.attempt)
    }

    @Test("a login that fails with the standard provider succeeds with the example provider's quirk")
    func quirk() async throws {
        let sandbox = try await Sandbox.start(SandboxConfiguration())
        let own = try provider(at: sandbox, factory: ExampleProviderFactory())
        #expect(own.descriptor.kind == "example")
        sandbox.openID.planFault(.withoutMembers("token_type"), on: .token)
        let tokens = try await login(own)
        #expect(tokens.tokenType == "Bearer")
        let profiles = try #require(own as? any BuyerProfileProviding)
        #expect(try await profiles.buyerProfile(for: tokens).email?.value == SandboxBuyerAccount.ada.email)
        #expect(try await own.refresh(tokens).refreshToken != nil)

        let standard = try provider(at: sandbox, factory: OpenIDProviderFactory())
        sandbox.openID.planFault(.withoutMembers("token_type"), on: .token)
        let error = await #expect(throws: IdentityError.self) { try await login(standard) }
        #expect(error?.code == .tokenResponseInvalid)
        await sandbox.stop()
    }

    @Test("the example provider passes the conformance suite of providers", arguments: ProviderConformance.cases)
    func conformance(_ testCase: ProviderConformance.Case) async throws {
        let sandbox = try await Sandbox.start(SandboxConfiguration())
        try await cleaningUp(sandbox.stop) {
            let own = try provider(at: sandbox, factory: ExampleProviderFactory())
            try await testCase.run {
                ProviderConformance.Subject(provider: own, presenter: SandboxBuyer(), isRefreshable: true)
            }
        }
    }
}
