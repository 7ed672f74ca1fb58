import FoundationEssentials
import IdentityKit
import IdentityTesting
import TestDoubles

/// A provider, a store, and any number of independent processes.
struct RefreshStage {
    let clock = ManualClock(isAdvancedBySleeping: true)
    let memory = InMemoryStore()
    let store: SpoolingStore
    let provider: JournaledProvider
    let heard = EventSink()

    init(timeout: Duration? = nil) {
        provider = JournaledProvider(clock: clock, timeout: timeout)
        store = SpoolingStore(memory)
    }

    func manager(
        _ store: (any SessionStore)? = nil,
        limits: SessionManager.RefreshLimits = .init(),
        maximumLifetime: Duration? = nil,
        with others: [any IdentityProvider] = []
    ) throws -> SessionManager {
        var configuration = SessionManager.Configuration()
        configuration.refreshLimits = limits
        configuration.maximumSessionLifetime = maximumLifetime
        return SessionManager(
            providers: try ProviderRegistry([provider] + others),
            store: store ?? self.store,
            environment: IdentityEnvironment(
                transport: NoNetwork(),
                clock: clock,
                random: LongestJitter()
            ),
            configuration: configuration,
            observers: [heard]
        )
    }

    func expiredSession(_ subject: String = "buyer-1") async throws -> SessionID {
        let tokens = provider.mint(Buyer(issuer: "https://id.example", subject: subject))
        let id = try await manager().establish(tokens, provider: "journaled").id
        clock.advance(by: .seconds(3601))
        return id
    }

    /// Simulates a process that crashes after it has sent the refresh token: the claim is stored, and no later save succeeds.
    func die(at id: SessionID) async throws {
        let grave = FaultyStore(memory)
        // The claim is written, and no later save succeeds.
        grave.script([nil] + Array(repeating: .fails, count: 40))
        provider.answer(.lost(Self.lost), .lost(Self.lost))
        _ = try? await manager(grave).tokens(for: id)
        provider.answer()
    }

    /// The request was sent, and no response arrived.
    static let lost = IdentityError(
        .retryLater,
        .unexpectedResponse,
        "Bad gateway.",
        providerResponse: .init(status: 502)
    )
}

/// Random bytes, except that every jitter is the longest one.
///
/// Otherwise one pause in 256 would have no length, and a test of pauses would fail.
private struct LongestJitter: RandomSource {
    private let system = SystemRandom()

    func bytes(_ count: Int) throws -> [UInt8] { count == 1 ? [255] : try system.bytes(count) }
}
