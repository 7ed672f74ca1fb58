import IdentityKit
import IdentityOIDC
import Testing

@Suite("Random values of a login")
struct RandomValuesTests {
    /// Returns half of the requested bytes.
    private struct ShortRandom: RandomSource {
        func bytes(_ count: Int) throws -> [UInt8] { try SystemRandom().bytes(count / 2) }
    }

    /// Fails with an error of the app.
    private struct FailingRandom: RandomSource {
        struct Failure: Error {}
        func bytes(_ count: Int) throws -> [UInt8] { throw Failure() }
    }

    @Test(
        "no login begins with a state, nonce or code verifier of too few random bytes, or if the source fails",
        arguments: [ShortRandom(), FailingRandom()] as [any RandomSource]
    )
    func tooFewBytes(random: any RandomSource) async throws {
        try await FakeWorld.run { world in
            var environment = world.environment
            environment.random = random
            let entry: JSONObject = [
                "kind": .string("openid"), "issuer": .string(world.fake.origin), "clientID": .string("client-1"),
                "redirectURI": .string("https://app.example/cb"), "allowsLoopbackHTTP": .bool(true),
            ]
            let root: JSONObject = ["providers": .object(["any": .object(entry)])]
            let registry = try ProviderRegistry(
                try IdentityConfiguration(json: JSONValue.object(root).serialized, environmentVariables: [:]),
                factories: [OpenIDProviderFactory()],
                environment: environment
            )
            let provider = try registry.provider(named: "any")
            let error = await #expect(throws: IdentityError.self) {
                _ = try await provider.authorizationRequest(LoginOptions())
            }
            #expect(error?.code == .systemFailure)
        }
    }
}
