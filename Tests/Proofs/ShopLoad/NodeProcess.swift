internal import Foundation
internal import IdentityKit
internal import Synchronization
internal import TestProcesses

/// A node as a separate process, which also ends when the driver ends.
final class NodeProcess: Sendable {
    private let process: Spawned
    private let lines: LineReader
    private let isEnding = Atomic(false)
    private let status = ExitStatus()

    init(port: UInt16, _ order: NodeOrder) throws {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
        let text = String(decoding: try JSONEncoder().encode(order), as: UTF8.self)
        let environment = ProcessInfo.processInfo.environment.merging([NodeOrder.variable: text]) { $1 }
        process = try Spawned.start(program, ["node", String(port)], environment, sharingErrors: true)
        lines = LineReader(process.output)
    }

    func waitUntilReady() async throws {
        var earlier: [String] = []
        while let line = await lines.next() {
            if line == "ready" { return }
            earlier.append(line)
        }
        let text = earlier.joined(separator: "\n")
        throw IdentityError(.configuration, .configurationInvalid, "A node did not start: \(text)")
    }

    /// Sends SIGTERM once, and returns the exit status; 128 plus the number of the signal if a signal ended the process.
    func end() async -> Int32 {
        // The signal is sent only before the wait: after the wait, the system may reuse the process's identifier.
        if !isEnding.exchange(true, ordering: .acquiringAndReleasing) {
            kill(process.identifier, SIGTERM)
            status.set(await process.ended())
        }
        return await status.value()
    }
}

/// The nodes that a run has started, so that it can end all of them.
final class NodeProcesses: Sendable {
    private let order: NodeOrder
    private let started = Mutex<[NodeProcess]>([])

    init(_ order: NodeOrder) {
        self.order = order
    }

    func start(port: UInt16) throws -> NodeProcess {
        let node = try NodeProcess(port: port, order)
        started.withLock { $0.append(node) }
        return node
    }

    func end() async {
        for node in started.withLock({ $0 }) { _ = await node.end() }
    }
}
