internal import IdentityKit

/// A process: a session manager over the shared store, until it dies.
final class VirtualProcess: @unchecked Sendable {
    /// No other process ever has it.
    let number: Owner
    /// The machine that it runs on, and that starts the next one when it dies.
    let slot: Int
    /// When it handed out each access token for the first time.
    var firstSeen: [String: Duration] = [:]
    private(set) var manager: SessionManager?
    var isDead = false
    var isStopped = false
    /// When it last was stopped, and went on again.
    var lastStopped: Duration?
    var lastStoreFailure: Duration?
    /// Its tasks that may be cancelled, by the number of the call.
    var callers: [Int: Task<Void, Never>] = [:]

    init(number: Owner, slot: Int) {
        self.number = number
        self.slot = slot
    }

    func start(in world: World) throws {
        let clock = SimulatedClock(world, owner: number, skew: world.skew(ofSlot: slot))
        let transport = SimulatedTransport(world, self)
        let environment = IdentityEnvironment(transport: transport, clock: clock, random: SimulatedRandom(world))
        let store = world.episode.locking == .none ? SimulatedStore(world, self) : LockingStore(world, self)
        manager = SessionManager(
            providers: try ProviderRegistry(try Providers.all(environment)),
            store: store,
            environment: environment,
            configuration: SessionManager.Configuration()
        )
    }

    /// Whether it was stopped at some time since.
    func wasStopped(since moment: Duration) -> Bool {
        isStopped || lastStopped.map { $0 >= moment } ?? false
    }

    func storeFailed(since moment: Duration) -> Bool {
        lastStoreFailure.map { $0 >= moment } ?? false
    }
}

/// Bytes from the world's generator.
private final class SimulatedRandom: RandomSource, @unchecked Sendable {
    private let world: World

    init(_ world: World) {
        self.world = world
    }

    func bytes(_ count: Int) throws -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: world.scheduler.random.next()) }
    }
}
