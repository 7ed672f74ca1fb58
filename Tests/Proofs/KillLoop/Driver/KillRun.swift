internal import Foundation
internal import IdentityHTTP
internal import IdentityKit
internal import IdentitySandbox
internal import Synchronization
internal import TestDirectories

/// Runs a strict provider and processes that share its sessions, kills the processes at random times and counts the lost sessions.
struct KillRun: Sendable {
    private static let lifetime = Duration.seconds(60)

    let plan: RunPlan

    init(_ plan: RunPlan) {
        self.plan = plan
    }

    /// Returns true if no session was lost without a permitted reason.
    func run() async throws -> Bool {
        let folder = try TemporaryDirectory("kill-loop")
        defer { folder.remove() }
        // All clocks run 20 times as fast as the system's: a token of one minute lives for three seconds.
        let epoch = Date().timeIntervalSince1970.rounded(.down)
        var order = WorkOrder(issuer: "", clientSecret: "", path: "", key: "", speed: 20, epoch: epoch)
        var configuration = SandboxConfiguration()
        configuration.clock = order.clock
        // The tokens of the storm's refresh must not expire before its last caller has read them.
        configuration.accessTokenLifetime = plan.isStorm ? Self.lifetime * 1_200 : Self.lifetime
        // A login takes real time.
        configuration.authorizationCodeLifetime = configuration.authorizationCodeLifetime * order.speed
        // The grace is given in real seconds.
        if case .grace(let duration) = plan.reuse {
            configuration.tokenReuse = .grace(duration * order.speed)
        } else {
            configuration.tokenReuse = plan.reuse
        }
        let sandbox = try await Sandbox.start(configuration)
        order.issuer = sandbox.openID.issuer
        order.clientSecret = sandbox.openID.configuration.clientSecret ?? ""
        order.path = folder.path(of: "identity.sqlite")
        order.postgres = plan.postgres
        order.mutant = plan.mutant
        order.schema = "kill_loop_\(UInt32.random(in: .min ... .max))"
        order.key = (0..<64).map { _ in String(Int.random(in: 0...15), radix: 16) }.joined()
        let store = try await order.store()
        let manager = try order.manager(store, try CurlTransport())
        let isGood =
            plan.isStorm
            ? try await RefreshStorm(order, sandbox, manager).run()
            : try await kill(order, sandbox, manager, store)
        await sandbox.stop()
        return isGood
    }

    private func login(_ manager: SessionManager, _ number: Int) async throws {
        let flow = LoginFlow(
            provider: "any",
            sessions: manager,
            presenter: SandboxBuyer(email: "buyer-\(number)@example.com")
        )
        _ = try await Retry.afterTemporaryErrors { try await flow.login() }
    }

    private func kill(
        _ order: WorkOrder,
        _ sandbox: Sandbox,
        _ manager: SessionManager,
        _ store: any SessionStore
    ) async throws -> Bool {
        for number in 0..<plan.sessions { try await login(manager, number) }
        // Responses are delayed, because kills during a request matter most.
        sandbox.openID.planFault(.delay(.milliseconds(25)), on: .token, times: .max)
        let fleet = Fleet(try String(decoding: JSONEncoder().encode(order), as: UTF8.self))
        for _ in 0..<plan.processes { try fleet.start() }
        // Wait up to two minutes: only a process that never begins takes so long.
        for _ in 0..<12_000 where fleet.startTime == nil && !fleet.hasEndedProcess {
            try await Task.sleep(for: .milliseconds(10))
        }
        let before = order.clock.now
        var buyers = plan.sessions
        var replaced: Set<String> = []
        let started = ContinuousClock.now
        while plan.kills == 0 ? ContinuousClock.now - started < .seconds(6) : isToGoOn(fleet.ledger) {
            // On a slow machine a process begins later, so it is killed later. Otherwise few processes would begin at all.
            let startTime = Int((fleet.startTime ?? .zero) / .milliseconds(1))
            try await Task.sleep(for: .milliseconds(Int.random(in: 5...max(10, 400 / plan.processes, startTime))))
            if plan.kills > 0 {
                if Int.random(in: 0..<6) == 0 { fleet.stopOne(for: .milliseconds(Int.random(in: 50...1500))) }
                // The stop lasts longer than a lease. A process keeps its kernel locks while it is stopped.
                if Int.random(in: 0..<60) == 0 { fleet.stopOne(for: .seconds(14)) }
                try await fleet.killOne()
            }
            for id in fleet.ledger.ended.keys where replaced.insert(id).inserted {
                try await login(manager, buyers)
                buyers += 1
            }
        }
        try await Task.sleep(for: .milliseconds(1500))
        try await waitForRefreshes(fleet, sandbox)
        await fleet.end()
        sandbox.openID.removeAllFaults()
        var ledger = fleet.ledger
        let refreshes = sandbox.openID.counters.refreshes
        if refreshes < plan.sessions {
            ledger.found("the processes made \(refreshes) refreshes of \(plan.sessions) sessions")
        }
        for (id, generation) in ledger.kept {
            guard let id = SessionID(rawValue: id) else { continue }
            let stored = try await store.session(id)?.generation ?? 0
            if stored < generation { ledger.found("a saved session was lost: session \(id.rawValue)") }
        }
        let isPaced = plan.kills > 0 || isPaced(ledger, sandbox, for: order.clock.now.timeIntervalSince(before))
        return try await check(ledger, sandbox, manager) && isPaced
    }

    /// Waits until the processes made as many refreshes as there are sessions, at most a minute.
    ///
    /// A run with fewer refreshes would prove little. A slow machine may need longer for them than the run lasts.
    private func waitForRefreshes(_ fleet: Fleet, _ sandbox: Sandbox) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while sandbox.openID.counters.refreshes < plan.sessions, ContinuousClock.now < end {
            let isDecided = fleet.hasEndedProcess || !fleet.ledger.broken.isEmpty || fleet.ledger.overlaps > 0
            if isDecided || plan.mutant == .requestsNoTokens { return }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Whether the run continues: no rule was violated, and the run needs more kills, more kills in the gap, or a detected mutant.
    ///
    /// The gap is the time between the saved claim and the saved response. The run makes at most eight times the requested kills.
    private func isToGoOn(_ ledger: Ledger) -> Bool {
        if !ledger.broken.isEmpty { return false }
        let isIncomplete = ledger.hits < plan.hits || (plan.mutant != nil && ledger.overlaps == 0)
        return ledger.kills < plan.kills || (isIncomplete && ledger.kills < plan.kills * 8)
    }

    /// Checks a run without kills: each token was refreshed once, in the last quarter of its lifetime, and no caller got an error.
    private func isPaced(_ ledger: Ledger, _ sandbox: Sandbox, for seconds: Double) -> Bool {
        let most = Int(seconds / (0.74 * (Self.lifetime / .seconds(1)))) + 1
        return sandbox.openID.counters.refreshes <= most * plan.sessions && ledger.troubles.isEmpty
    }

    /// Requests the tokens of every session once more and counts.
    private func check(_ ledger: Ledger, _ sandbox: Sandbox, _ manager: SessionManager) async throws -> Bool {
        var ended = ledger.ended
        var lost = 0
        _ = try await manager.repair()
        let open = try await manager.sessions().map(\.id).filter { ended[$0.rawValue] == nil }
        // All sessions are checked at the same time, because under leases each claimed session waits for its claim.
        let losses: [(id: String, reason: String)]
        losses = try await withThrowingTaskGroup(of: (id: String, reason: String)?.self) { group in
            for id in open {
                group.addTask {
                    do {
                        _ = try await Retry.afterTemporaryErrors { try await manager.refreshTokens(for: id) }
                        return nil
                    } catch let error as IdentityError where error.kind == .signInAgain {
                        return (id.rawValue, error.code.rawValue)
                    }
                }
            }
            return try await group.reduce(into: []) { found, loss in if let loss { found.append(loss) } }
        }
        for loss in losses {
            ended[loss.id] = loss.reason
            if ledger.hit[loss.id] == nil { lost += 1 }
        }
        let raced = ledger.ended.keys.filter { ledger.hit[$0] == nil }.count
        let counters = sandbox.openID.counters
        let reasons = Dictionary(grouping: ended.values) { $0 }.map { "\($0.key) \($0.value.count)" }.sorted()
        let refreshed = ledger.outcomes.filter { $0.key.hasPrefix("refreshed") }.values.reduce(0, +)
        let isForeign = ended.values.contains { $0 != "rotation_lost" }
        print(
            """
            \(plan.processes) processes, \(plan.postgres == nil ? "SQLite" : "PostgreSQL"), reuse \(plan.reuse): \
            \(ledger.kills) kills (\(ledger.hits) between claim and journal), \(counters.refreshes) refreshes, \
            \(refreshed) returned to callers, \(counters.refreshReplays) replayed, \(counters.reusesPunished) families revoked, \
            \(raced) of them by a race, \(lost) acknowledged tokens lost, \(ended.count) new logins \
            (\(reasons.joined(separator: ", "))), temporary errors \(ledger.troubles.values.reduce(0, +)), \
            \(ledger.longStops) stops of 14 s (\(ledger.stopHits) in the gap), \(ledger.overlaps) locks held twice
            """
        )
        for rule in ledger.broken.prefix(5) { print("BROKEN: \(rule)") }
        if ledger.overlaps > 0 { print("BROKEN: two processes held the lock of one session at the same time") }
        // The hits have no upper limit, because the gap lasts longer on a slow machine.
        let hasHits = ledger.hits >= plan.hits
        if !hasHits { print("BROKEN: \(ledger.hits) of \(ledger.kills) kills hit the gap, fewer than --hits") }
        let isSound = ledger.broken.isEmpty && ledger.overlaps == 0 && hasHits
        // A grace that is longer than every repair and stop causes no new logins.
        let isForgiving: Bool
        switch plan.reuse {
        case .revokes: isForgiving = false
        // An expired lease does not prove that its holder crashed, so PostgreSQL waits for the response first.
        case .grace(let duration): isForgiving = duration >= (plan.postgres == nil ? .seconds(10) : .seconds(60))
        case .repeatsResponse: isForgiving = true
        }
        return isSound && raced == 0 && lost == 0 && !isForeign
            && ended.count <= (isForgiving ? 0 : ledger.hits + ledger.stopHits)
    }
}
