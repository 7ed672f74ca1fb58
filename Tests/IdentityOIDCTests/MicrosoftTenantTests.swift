import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityOIDC
import TestDoubles
import Testing

@Suite("Microsoft's preset for several tenants")
struct MicrosoftTenantTests {
    private static let tenant = "11111111-2222-3333-4444-555555555555"
    private static let otherTenant = "aaaaaaaa-2222-3333-4444-555555555555"

    /// Runs a test with the fake provider in the role of Microsoft's service for several tenants.
    private func withMicrosoft(
        trusting tenants: [String]? = nil,
        _ body: (FakeWorld) async throws -> Void
    ) async throws {
        try await FakeWorld.run { configuration in
            let made = OpenIDProvider.Configuration.microsoft(
                name: "m",
                clientID: "client-1",
                directory: .common,
                authority: configuration.issuer
            )
            let authority = configuration.issuer
            let trusted = tenants.map { IssuerPolicy.exactly($0.map { "\(authority)/\($0)/v2.0" }) }
            configuration.acceptedIssuers = trusted ?? made.acceptedIssuers
            configuration.issuer = made.issuer
            configuration.quirks = made.quirks
        } _: { world in
            world.fake.intercept { request in
                guard request.path == "/common/v2.0/.well-known/openid-configuration" else { return nil }
                let host = "http://" + (request.header("Host") ?? "")
                return FakeProvider.json([
                    "issuer": .string(host + "/{tenantid}/v2.0"), "token_endpoint": .string(host + "/token"),
                    "authorization_endpoint": .string(host + "/authorize"), "jwks_uri": .string(host + "/jwks"),
                    "id_token_signing_alg_values_supported": .array([.string("ES256")]),
                ])
            }
            try await body(world)
        }
    }

    private static func token(_ world: FakeWorld, issuer: String, tenant: String?) {
        let issuer = world.fake.origin + issuer
        world.fake.change(claims: {
            $0["iss"] = .string(issuer)
            $0["tid"] = tenant.map { .string($0) }
        })
    }

    @Test("Microsoft: for several tenants the ID token's issuer is the template with its tid")
    func microsoftTenants() async throws {
        try await withMicrosoft { world in
            Self.token(world, issuer: "/\(Self.tenant)/v2.0", tenant: Self.tenant)
            let tokens = try await world.login()
            #expect(tokens.buyer.issuer == "\(world.fake.origin)/\(Self.tenant)/v2.0")
            #expect(try await world.provider.refresh(tokens).buyer == tokens.buyer)
            for (issuer, tenant) in [
                (Self.tenant, Self.otherTenant), (Self.otherTenant, Self.tenant), (Self.tenant, nil),
                ("{tenantid}", nil),
                ("{tenantid}", "{tenantid}"), ("common", "common"), (Self.tenant + "/x", Self.tenant),
            ] as [(String, String?)] {
                Self.token(world, issuer: "/\(issuer)/v2.0", tenant: tenant)
                #expect(await world.refusal()?.code == .idTokenIssuer, "\(issuer) \(tenant ?? "none")")
            }
        }
    }

    @Test("Microsoft: for several tenants a client assertion needs the token endpoint as its audience")
    func assertionAudience() throws {
        var configuration = OpenIDProvider.Configuration.microsoft(name: "m", clientID: "client-1", directory: .common)
        let environment = IdentityEnvironment(transport: NoNetwork())
        let key = try ClientKey(Secret(ClientKeys.p256), keyID: "key-1")
        configuration.authentication = .privateKeyJWT(key, audience: .tokenEndpoint)
        _ = try OpenIDProvider(configuration, environment: environment)
        configuration.authentication = .privateKeyJWT(key)
        let error = #expect(throws: IdentityError.self) {
            _ = try OpenIDProvider(configuration, environment: environment)
        }
        #expect(error?.kind == .configuration && error?.hint?.contains("clientAssertionAudience") == true)
    }

    @Test("Microsoft: a refreshed ID token of another trusted tenant is refused, also if it has the same subject")
    func microsoftRefresh() async throws {
        try await withMicrosoft(trusting: [Self.tenant, Self.otherTenant, "{tenantid}"]) { world in
            Self.token(world, issuer: "/\(Self.tenant)/v2.0", tenant: Self.tenant)
            let tokens = try await world.login()
            Self.token(world, issuer: "/\(Self.otherTenant)/v2.0", tenant: Self.otherTenant)
            let error = await #expect(throws: IdentityError.self) { _ = try await world.provider.refresh(tokens) }
            #expect(error?.code == .idTokenIssuer && error?.isAttackSuspected == true)
            #expect(world.provider.descriptor.equivalentIssuers.isEmpty)
        }
    }

    @Test("Microsoft: a key that names an issuer verifies tokens of this issuer only")
    func microsoftKeys() async throws {
        for (name, isAccepted) in [
            (Self.tenant, true), ("{tenantid}", true), (Self.otherTenant, false), (nil, false),
        ] as [(String?, Bool)] {
            try await withMicrosoft { world in
                Self.token(world, issuer: "/\(Self.tenant)/v2.0", tenant: Self.tenant)
                var jwk = world.fake.forge.jwkMembers
                jwk["issuer"] = name.map { .string("\(world.fake.origin)/\($0)/v2.0") } ?? .integer(1)
                world.fake.replace("/jwks", by: FakeProvider.json(["keys": .array([.object(jwk)])]))
                #expect(await world.refusal()?.code == (isAccepted ? nil : .idTokenKeyUnknown), "\(name ?? "1")")
            }
        }
    }
}
