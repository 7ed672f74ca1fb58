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
    /// When it was stopped, and when it went on again.
    private(set) var stops: [(from: Duration, to: Duration)] = []
    var stoppedAt = Duration.zero
    /// When the store or the spool refused a write of this process only.
    var storeRefusals: [Duration] = []
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
            providers: try ProviderRegistry(try Providers.all(environment, world.mutant)),
            store: store,
            environment: environment,
            configuration: SessionManager.Configuration()
        )
    }

    func wentOn(at now: Duration) {
        stops.append((stoppedAt, now))
    }

    /// Whether it was stopped at some time since.
    func wasStopped(since moment: Duration) -> Bool {
        isStopped || stops.contains { $0.to >= moment }
    }

    /// Whether it was stopped at some time since, for so long at least.
    func wasStopped(for duration: Duration, since moment: Duration, now: Duration) -> Bool {
        if isStopped, now - max(stoppedAt, moment) >= duration { return true }
        return stops.contains { $0.to - max($0.from, moment) >= duration }
    }

    func refusals(since moment: Duration) -> Int {
        storeRefusals.count { $0 >= moment }
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
