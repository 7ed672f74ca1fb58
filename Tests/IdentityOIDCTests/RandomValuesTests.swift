import IdentityCrypto
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
                "timeout": .integer(60),
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

    private struct StateQuirks: OpenIDQuirks {
        var settings = OpenIDQuirkSettings()
    }

    @Test(
        "a state of fewer than 8 characters, or of more characters than its random bytes give, is a configuration error",
        arguments: [
            (6, nil, true), (6, 8, true), (16, 22, true), (32, 43, true), (64, 86, true), (5, nil, false),
            (0, nil, false), (-1, nil, false), (32, 7, false), (32, 0, false), (32, -1, false), (32, 44, false),
            (6, 9, false),
        ] as [(Int, Int?, Bool)]
    )
    func shortState(byteCount: Int, length: Int?, isAccepted: Bool) async throws {
        try await FakeWorld.run { world in
            var quirks = StateQuirks()
            quirks.settings.stateByteCount = byteCount
            quirks.settings.stateLength = length
            let configuration = world.provider.client.configuration
            guard isAccepted else {
                let error = #expect(throws: IdentityError.self) {
                    try OpenIDClient(configuration, quirks: quirks, environment: world.environment)
                }
                #expect(error?.kind == .configuration)
                #expect(error?.message.contains(byteCount < 6 ? "stateByteCount" : "stateLength") == true)
                return
            }
            let client = try OpenIDClient(configuration, quirks: quirks, environment: world.environment)
            let state = try await client.authorizationRequest(LoginOptions()).attempt.state
            #expect(state.count == length ?? Base64URL.encode(Array(repeating: 0, count: byteCount)).utf8.count)
        }
    }
}
