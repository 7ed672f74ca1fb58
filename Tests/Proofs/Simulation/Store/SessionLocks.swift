internal import IdentityKit
internal import TestDoubles

/// The locks of all sessions, which behave like the locks of a kernel or a database server.
final class SessionLocks: @unchecked Sendable {
    /// One acquisition of a lock.
    final class Grant: @unchecked Sendable {
        let id: SessionID
        let process: VirtualProcess
        let until: Duration?
        /// Whether the process keeps a kernel lock although the body has released it, because it has unsaved tokens.
        var isKept = false
        var isReleased = false

        init(_ id: SessionID, _ process: VirtualProcess, until: Duration?) {
            self.id = id
            self.process = process
            self.until = until
        }
    }

    /// A waiting caller, which is resumed once.
    @safe private final class Waiter {
        let process: VirtualProcess
        var continuation: UnsafeContinuation<Grant, any Error>?

        init(_ process: VirtualProcess, _ continuation: UnsafeContinuation<Grant, any Error>) {
            self.process = process
            unsafe self.continuation = continuation
        }
    }

    static let lease = Duration.seconds(20)

    private unowned let world: World
    private var held: [SessionID: Grant] = [:]
    private var waiting: [SessionID: [Waiter]] = [:]

    init(_ world: World) {
        self.world = world
    }

    func acquire(_ id: SessionID, for process: VirtualProcess, waitingUpTo limit: Duration) async throws -> Grant {
        await world.pause(world.scheduler.random.milliseconds(0...2), as: process.number)
        return try await unsafe withUnsafeThrowingContinuation { continuation in
            let waiter = unsafe Waiter(process, continuation)
            waiting[id, default: []].append(waiter)
            world.scheduler.after(limit, as: process.number) {
                unsafe waiter.continuation.take()?.resume(
                    throwing: IdentityError(.retryLater, .refreshBusy, "Another process refreshes the session.")
                )
            }
            hand(id)
        }
    }

    func release(_ grant: Grant) {
        guard held[grant.id] === grant else { return }
        grant.isReleased = true
        if !grant.isKept { held[grant.id] = nil }
        // The timer is owned by the world, because the next lock holder is another process.
        world.scheduler.after(.zero, as: world.owner) { [self] in hand(grant.id) }
    }

    func holder(of id: SessionID) -> VirtualProcess? { held[id]?.process }

    func remaining(_ grant: Grant) -> Duration {
        guard held[grant.id] === grant, let until = grant.until else { return .zero }
        return until - world.scheduler.now
    }

    /// Releases the kernel locks of an ended process.
    func processCrashed(_ process: VirtualProcess) {
        for list in waiting.values {
            for waiter in list where waiter.process === process { unsafe waiter.continuation = nil }
        }
        guard world.episode.locking == .kernel else { return }
        for grant in held.values.sorted(by: { $0.id.rawValue < $1.id.rawValue }) where grant.process === process {
            grant.isKept = false
            release(grant)
        }
    }

    private func hand(_ id: SessionID) {
        let kept = held[id]
        guard kept?.isReleased ?? true else { return }
        var queue = waiting[id] ?? []
        queue.removeAll { unsafe $0.continuation == nil }
        waiting[id] = queue.isEmpty ? nil : queue
        let candidates = queue.indices.filter { index in
            kept.map { queue[index].process === $0.process } ?? true
        }
        guard !candidates.isEmpty else { return }
        let next = queue.remove(at: candidates[world.scheduler.random.below(candidates.count)])
        waiting[id] = queue
        let isLease = world.episode.locking == .lease
        let grant = Grant(id, next.process, until: isLease ? world.scheduler.now + Self.lease : nil)
        held[id] = grant
        if isLease { world.scheduler.after(Self.lease, as: world.owner) { [self] in release(grant) } }
        let continuation = unsafe next.continuation.take()
        world.scheduler.after(.zero, as: next.process.number) { unsafe continuation?.resume(returning: grant) }
    }
}
