internal import IdentityKit
internal import TestDoubles

/// A simulated process: a session manager over the shared store, until it crashes.
final class VirtualProcess: @unchecked Sendable {
    /// The interval is longer than the default, so that stored responses wait for longer until a process validates them.
    static let repairInterval = Duration.seconds(15)

    /// A number that is never reused.
    let number: Owner
    /// The machine on which the process runs, and which starts a new process after a crash.
    let slot: Int
    /// When the process returned each access token for the first time.
    var firstSeen: [String: Duration] = [:]
    private(set) var manager: SessionManager?
    var hasCrashed = false
    var isStopped = false
    /// When the process was stopped and resumed.
    private(set) var stops: [(from: Duration, to: Duration)] = []
    var stoppedAt = Duration.zero
    /// The times at which a write of this process failed.
    var storeRefusals: [Duration] = []
    /// The process's cancellable tasks, by the number of the call.
    var callers: [Int: Task<Void, Never>] = [:]

    init(number: Owner, slot: Int) {
        self.number = number
        self.slot = slot
    }

    func start(in world: World) throws {
        let clock = SimulatedClock(world, owner: number, skew: world.skew(ofSlot: slot))
        let transport = SimulatedTransport(world, self)
        let environment = IdentityEnvironment(transport: transport, clock: clock, random: SimulatedRandom(world))
        let store = SimulatedStore(world, self)
        var configuration = SessionManager.Configuration()
        configuration.repairInterval = Self.repairInterval
        manager = SessionManager(
            providers: try ProviderRegistry(try Providers.all(environment, world.mutant)),
            store: store,
            environment: environment,
            configuration: configuration
        )
    }

    func resumed(at now: Duration) {
        stops.append((stoppedAt, now))
    }

    func wasStopped(since moment: Duration) -> Bool {
        isStopped || stops.contains { $0.to >= moment }
    }

    func wasStopped(for duration: Duration, since moment: Duration, now: Duration) -> Bool {
        if isStopped, now - max(stoppedAt, moment) >= duration { return true }
        return stops.contains { $0.to - max($0.from, moment) >= duration }
    }

    func refusals(since moment: Duration) -> Int {
        storeRefusals.count { $0 >= moment }
    }
}

/// Random bytes from the world's generator.
private final class SimulatedRandom: RandomSource, @unchecked Sendable {
    private let world: World

    init(_ world: World) {
        self.world = world
    }

    func bytes(_ count: Int) throws -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: world.scheduler.random.next()) }
    }
}
