internal import Foundation
internal import IdentityHTTP
internal import IdentityKit
internal import IdentitySandbox
internal import StorefrontSandbox
internal import TestProcesses

/// Starts the sandbox, two nodes and many buyers who use them, ends one node in the middle of the run, and starts it again.
struct LoadRun: Sendable {
    private let plan: Plan

    init(_ plan: Plan) {
        self.plan = plan
    }

    /// Runs the buyers, and returns whether no buyer had a failure, no refresh token was used twice, and all nodes ended with status 0.
    func run() async throws -> Bool {
        Self.say(
            "\(plan.buyers) buyers for \(plan.seconds) seconds at two nodes; "
                + "node 2 ends after \(plan.seconds / 2) seconds and comes back \(plan.pause) seconds later"
        )
        var configuration = SandboxConfiguration()
        configuration.accessTokenLifetime = .seconds(30)
        let sandbox = try await ShopSandbox.start(configuration, storefront: .wholeShop)
        let ports = try [LoopbackPort.free(), LoopbackPort.free()]
        let nodes = ports.map { "http://127.0.0.1:\($0)" }
        let made = sandbox.labConfiguration(app: nodes[0])
        var file = made.json.object ?? [:]
        file["store"] = .object([
            "postgres": .object(["env": .string("DATABASE_URL")]),
            "key": .object(["env": .string("IDENTITY_STORE_KEY")]),
        ])
        let order = NodeOrder(
            configuration: String(decoding: JSONValue.object(file).serialized, as: UTF8.self),
            variables: made.environment.merging(["DATABASE_URL": plan.database]) { $1 },
            origin: nodes[0]
        )
        let processes = NodeProcesses(order)
        let passed: Bool
        do {
            passed = try await load(nodes, ports, processes, sandbox)
        } catch {
            await processes.end()
            throw error
        }
        await sandbox.stop()
        print(passed ? "passed" : "FAILED")
        return passed
    }

    private func load(
        _ nodes: [String],
        _ ports: [UInt16],
        _ processes: NodeProcesses,
        _ sandbox: ShopSandbox
    ) async throws -> Bool {
        let first = try processes.start(port: ports[0])
        let second = try processes.start(port: ports[1])
        try await first.waitUntilReady()
        try await second.waitUntilReady()

        let tally = Tally()
        let transport = try CurlTransport()
        let start = ContinuousClock.now
        let progress = Task {
            while true {
                try await Task.sleep(for: .seconds(5))
                let passed = (ContinuousClock.now - start).components.seconds
                Self.say("\(passed) s: \(await tally.summary), \(await tally.failures.count) failures")
            }
        }
        async let restarted = restart(second, processes, port: ports[1])
        await withTaskGroup { group in
            for number in 0..<plan.buyers {
                group.addTask {
                    let buyer = LoadBuyer(number, nodes[0], nodes, transport, tally)
                    await buyer.run(from: start, for: plan.seconds)
                }
            }
        }
        progress.cancel()
        let (status, again) = try await restarted
        let statuses = [status, await first.end(), await again.end()]
        if statuses != [0, 0, 0] { print("✗ the nodes ended with status \(statuses)") }
        return await report(tally, sandbox) && statuses == [0, 0, 0]
    }

    /// Ends a node in the middle of the run, and starts it again.
    private func restart(
        _ node: NodeProcess,
        _ processes: NodeProcesses,
        port: UInt16
    ) async throws -> (status: Int32, again: NodeProcess) {
        try await Task.sleep(for: .seconds(plan.seconds / 2))
        let status = await node.end()
        Self.say("node 2 ended with status \(status)")
        try await Task.sleep(for: .seconds(plan.pause))
        let again = try processes.start(port: port)
        try await again.waitUntilReady()
        Self.say("node 2 is back")
        return (status, again)
    }

    /// Prints a line without buffering, also into a file or a pipe.
    private static func say(_ text: String) {
        print(text)
        fflush(nil)
    }

    private func report(_ tally: Tally, _ sandbox: ShopSandbox) async -> Bool {
        let failures = await tally.failures
        var isRight = failures.isEmpty
        for failure in failures.prefix(20) { print("✗ \(failure)") }
        var refreshes = 0
        for (name, counters) in [
            ("Shopify", sandbox.shopify.counters), ("Bolt", sandbox.bolt.counters), ("OpenID", sandbox.openID.counters),
        ] {
            refreshes += counters.refreshes
            // The providers revoke a login whose refresh token is used twice: more than one refresh for an expiry would show here.
            let isOnce = counters.reusesPunished == 0 && counters.refreshReplays == 0
            if !isOnce { print("✗ \(name): \(counters.reusesPunished) refresh tokens were used twice") }
            isRight = isRight && isOnce
        }
        // A run of three minutes must have as many refreshes as buyers.
        isRight = isRight && refreshes >= plan.buyers * plan.seconds / 180
        print(
            "\(plan.buyers) buyers, \(plan.seconds) seconds: \(await tally.summary), \(refreshes) refreshes"
        )
        print("\(failures.count) buyers with a failure")
        return isRight
    }
}
