import IdentityKit
import IdentityTesting
import TestDoubles
import Testing

@Suite("Random values")
struct RandomSourceTests {
    /// Returns one byte less than requested.
    private struct ShortRandom: RandomSource {
        func bytes(_ count: Int) throws -> [UInt8] { try SystemRandom().bytes(count - 1) }
    }

    @Test("neither a session nor a login begins if the random source returns too few bytes")
    func tooFewBytes() async throws {
        let environment = IdentityEnvironment(transport: NoNetwork(), random: ShortRandom())
        let provider = StrictProvider(clock: ManualClock())
        let manager = SessionManager(
            providers: try ProviderRegistry([provider]),
            store: InMemoryStore(),
            environment: environment
        )
        for error in [
            await #expect(throws: IdentityError.self) { _ = try await manager.beginGuest() },
            await #expect(throws: IdentityError.self) { _ = try await manager.begin("strict") },
        ] {
            #expect(error?.code == .systemFailure && error?.hint?.contains("RandomSource") == true)
        }
    }
}
