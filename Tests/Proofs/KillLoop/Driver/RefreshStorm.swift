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
        let tokens = Mutex<[String]>([])
        let ready = Mutex(0)
        let children = try (0..<processes).map { _ in
            try ChildProcess(["storm", session.id.rawValue, "\(callers)"], text) { line in
                if line == "ready" { ready.withLock { $0 += 1 } } else { tokens.withLock { $0.append(line) } }
            }
        }
        while ready.withLock({ $0 }) < processes { try await Task.sleep(for: .milliseconds(20)) }
        // A little more than a minute of the run's clock.
        while try await manager.session(session.id).expiresAt.map({ $0 > order.clock.now }) ?? true {
            try await Task.sleep(for: .milliseconds(50))
        }
        let before = sandbox.openID.counters.refreshes
        let started = ContinuousClock.now
        for child in children { child.send("go") }
        for child in children { _ = await child.end() }
        let took = ContinuousClock.now - started
        let refreshes = sandbox.openID.counters.refreshes - before
        let different = Set(tokens.withLock { $0 })
        print(
            "\(processes) processes with \(callers) callers each: \(refreshes) refreshes, \(different.count) different results, "
                + "\(took)"
        )
        for answer in different where answer.hasPrefix("token error") { print(answer) }
        let isToken = different.first?.hasPrefix("token ") ?? false
        return refreshes == 1 && different.count == 1 && isToken && different.first?.contains("error") == false
    }
}
