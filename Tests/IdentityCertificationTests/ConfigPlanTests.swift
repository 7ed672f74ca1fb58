import IdentityKit
import IdentityOIDC
import IdentitySandbox
import Testing

/// The modules of `oidcc-client-config-certification-test-plan`, in their order.
@Suite("OpenID conformance suite: the plan Config RP")
struct ConfigPlanTests {
    /// The module `oidcc-client-test-discovery-openid-config`.
    @Test("the endpoints of the metadata are used, and the metadata are fetched once")
    func discovery() async throws {
        let elsewhere = SandboxFault.editJSON { object in
            for name in ["authorization_endpoint", "token_endpoint", "userinfo_endpoint"] {
                object[name] = (object[name]?.string).map { .string($0 + "?from=metadata") }
            }
        }
        try await CertificationModule.run(.init(metadata: elsewhere)) { module in
            let buyer = try await module.loginAndUserInfo()
            #expect(buyer.givenName == "Ada")
            #expect(module.openID.counters.discoveries == 1)
            let authorization = try #require(module.openID.requests(to: .authorization).first)
            #expect(authorization.queryValue("from") == "metadata")
            for endpoint in [SandboxEndpoint.token, .api] {
                #expect(module.openID.requests(to: endpoint).map(\.query) == ["from=metadata"])
            }
        }
    }

    /// The module `oidcc-client-test-discovery-jwks-uri-keys`.
    @Test("the keys are fetched from the jwks_uri of the metadata")
    func keySetAddress() async throws {
        let run = "run=\(UInt64.random(in: 0 ... .max))"
        let metadata = SandboxFault.editJSON { object in
            object["jwks_uri"] = (object["jwks_uri"]?.string).map { .string("\($0)?\(run)") }
        }
        try await CertificationModule.run(.init(metadata: metadata)) { module in
            try await module.acceptsLogin()
            #expect(module.openID.requests(to: .jwks).map(\.query) == [run])
        }
    }

    /// The module `oidcc-client-test-discovery-issuer-mismatch`.
    @Test("metadata of another issuer are refused before the browser is redirected")
    func issuerMismatch() async throws {
        let metadata = SandboxFault.editJSON { object in
            object["issuer"] = (object["issuer"]?.string).map { .string($0 + "INVALID") }
        }
        try await CertificationModule.run(.init(metadata: metadata)) { module in
            try await module.refusesLogin(.discoveryIssuerMismatch, tokenRequests: 0)
            #expect(module.openID.requests(to: .authorization).isEmpty)
        }
    }

    /// The module `oidcc-client-test-idtoken-sig-none` of this plan.
    @Test("an unsigned ID token is refused, also if the metadata list the algorithm none")
    func signatureNone() async throws {
        try await CertificationModule.run(.init(client: { $0.algorithms = nil })) { module in
            try module.publish(
                metadata: .member("id_token_signing_alg_values_supported", .array([.string("none"), .string("RS256")]))
            )
            try await module.refusesLogin(.idTokenAlgorithm, .unsigned())
        }
    }

    /// The module `oidcc-client-test-signing-key-rotation-just-before-signing`.
    @Test("an ID token that is signed with a new key is accepted after the keys are fetched again")
    func rotationJustBeforeSigning() async throws {
        try await CertificationModule.run { module in
            try await module.acceptsLogin()
            let openID = module.openID
            try await module.acceptsLogin(.before { openID.rotateSigningKey(keepingOld: false) })
            #expect(module.openID.requests(to: .jwks).count == 2)
        }
    }

    /// The module `oidcc-client-test-signing-key-rotation`.
    @Test("a login after a rotation of the signing key succeeds, and fetches the keys again")
    func rotation() async throws {
        try await CertificationModule.run { module in
            try await module.acceptsLogin()
            module.openID.rotateSigningKey(keepingOld: false)
            try await module.acceptsLogin()
            #expect(module.openID.requests(to: .jwks).count == 2)
        }
    }
}
