internal import Foundation
internal import IdentityHTTP
internal import IdentityKit
internal import IdentitySandbox
internal import Synchronization

/// Many concurrent callers of one expired session must cause one refresh and get the same tokens.
struct RefreshStorm: Sendable {
    private let order: WorkOrder
    private let sandbox: Sandbox
    private let manager: SessionManager

    init(_ order: WorkOrder, _ sandbox: Sandbox, _ manager: SessionManager) {
        self.order = order
        self.sandbox = sandbox
        self.manager = manager
    }

    func run() async throws -> Bool {
        let inOne = try await storm(processes: 1, callers: 1000)
        let inMany = try await storm(processes: 16, callers: 60)
        return inOne && inMany
    }

    private func storm(processes: Int, callers: Int) async throws -> Bool {
        // Only the first access token expires soon.
        sandbox.openID.planFault(.member("expires_in", .integer(60)), on: .token)
        let session = try await LoginFlow(provider: "any", sessions: manager, presenter: SandboxBuyer()).login()
        let text = try String(decoding: JSONEncoder().encode(order), as: UTF8.self)
        let results = Mutex<[Set<String>]>(Array(repeating: [], count: processes))
        let ready = Mutex(0)
        let children = try (0..<processes).map { number in
            try ChildProcess(["storm", session.id.rawValue, "\(callers)"], text) { line in
                if line == "ready" {
                    ready.withLock { $0 += 1 }
                } else {
                    results.withLock { _ = $0[number].insert(line) }
                }
            }
        }
        while ready.withLock({ $0 }) < processes, !children.contains(where: \.hasEnded) {
            try await Task.sleep(for: .milliseconds(20))
        }
        // The loop takes a little more than a minute of the run's clock.
        while try await manager.session(session.id).expiresAt.map({ $0 > order.clock.now }) ?? true {
            try await Task.sleep(for: .milliseconds(50))
        }
        let before = sandbox.openID.counters.refreshes
        let started = ContinuousClock.now
        for child in children { child.send("go") }
        var failed: [Int32] = []
        for child in children { failed.append(await child.end()) }
        failed.removeAll { $0 == 0 }
        let took = ContinuousClock.now - started
        let refreshes = sandbox.openID.counters.refreshes - before
        let all = results.withLock { $0 }
        let different = all.reduce(into: Set()) { $0.formUnion($1) }
        let silent = all.count(where: \.isEmpty)
        print(
            "\(processes) processes with \(callers) callers each: \(refreshes) refreshes, \(different.count) different results, "
                + "\(took)"
        )
        for answer in different where answer.hasPrefix("token error") { print(answer) }
        if !failed.isEmpty {
            print("BROKEN: \(failed.count) processes failed, with the statuses \(Set(failed).sorted())")
        }
        if silent > 0 { print("BROKEN: \(silent) processes printed no result") }
        let isToken = different.first?.hasPrefix("token ") == true && different.first?.contains("error") == false
        return failed.isEmpty && silent == 0 && refreshes == 1 && different.count == 1 && isToken
    }
}
