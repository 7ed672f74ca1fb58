import IdentityKit
import IdentityOIDC
import IdentitySandbox
import Testing

/// The modules of `oidcc-client-config-certification-test-plan`, in their order.
@Suite("OpenID conformance suite: the plan Config RP")
struct ConfigPlanTests {
    @Test("oidcc-client-test-discovery-openid-config")
    func discovery() async throws {
        let elsewhere = SandboxMisbehaviour.editJSON { object in
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

    @Test("oidcc-client-test-discovery-jwks-uri-keys")
    func keySetAddress() async throws {
        let run = "run=\(UInt64.random(in: 0 ... .max))"
        let metadata = SandboxMisbehaviour.editJSON { object in
            object["jwks_uri"] = (object["jwks_uri"]?.string).map { .string("\($0)?\(run)") }
        }
        try await CertificationModule.run(.init(metadata: metadata)) { module in
            try await module.acceptsLogin()
            #expect(module.openID.requests(to: .jwks).map(\.query) == [run])
        }
    }

    @Test("oidcc-client-test-discovery-issuer-mismatch")
    func issuerMismatch() async throws {
        let metadata = SandboxMisbehaviour.editJSON { object in
            object["issuer"] = (object["issuer"]?.string).map { .string($0 + "INVALID") }
        }
        try await CertificationModule.run(.init(metadata: metadata)) { module in
            try await module.refusesLogin(.discoveryIssuerMismatch, tokenRequests: 0)
            #expect(module.openID.requests(to: .authorization).isEmpty)
        }
    }

    @Test("oidcc-client-test-idtoken-sig-none (Config RP)")
    func signatureNone() async throws {
        try await CertificationModule.run(.init(client: { $0.algorithms = nil })) { module in
            try module.publish(
                metadata: .member("id_token_signing_alg_values_supported", .array([.string("none"), .string("RS256")]))
            )
            try await module.refusesLogin(.idTokenAlgorithm, .unsigned())
        }
    }

    @Test("oidcc-client-test-signing-key-rotation-just-before-signing")
    func rotationJustBeforeSigning() async throws {
        try await CertificationModule.run { module in
            try await module.acceptsLogin()
            let openID = module.openID
            try await module.acceptsLogin(.before { openID.rotateSigningKey(keepingOld: false) })
            #expect(module.openID.requests(to: .jwks).count == 2)
        }
    }

    @Test("oidcc-client-test-signing-key-rotation")
    func rotation() async throws {
        try await CertificationModule.run { module in
            try await module.acceptsLogin()
            module.openID.rotateSigningKey(keepingOld: false)
            try await module.acceptsLogin()
            #expect(module.openID.requests(to: .jwks).count == 2)
        }
    }
}
