import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityTesting
import TestDoubles
import Testing

@testable import IdentityOIDC

@Suite("A key set with a new URL")
struct KeySetMoveTests {
    @Test("keys are fetched from the metadata's URL, also after it changes")
    func moved() async throws {
        try await FakeWorld.run { world in
            _ = try await world.login()
            let forge = try TokenSigner(.es256)
            let origin = world.fake.origin
            world.fake.change(metadata: { metadata in
                metadata["jwks_uri"] = .string(origin + "/moved")
            })
            // The new key has the same kid as the old key, which stays at the old URL.
            world.fake.replace("/moved", by: FakeProvider.json(["keys": .array([forge.jwk])]))
            world.fake.rotate(to: forge, publishing: false)
            world.fake.change(claims: { claims in
                claims["iat"] = .integer(1_790_003_600)
                claims["exp"] = .integer(1_790_003_900)
            })
            world.clock.advance(by: .seconds(3600))
            _ = try await world.login()
            #expect(world.fake.requests(to: "/jwks").count == 1)
            #expect(world.fake.requests(to: "/moved").count == 1)
        }
    }
}
