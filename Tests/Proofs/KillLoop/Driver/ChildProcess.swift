internal import IdentityPlatform
internal import Synchronization
internal import TestProcesses

/// A process of a run; the driver reads its output line by line, and closes its standard input to end it.
final class ChildProcess: Sendable {
    private let process: Spawned
    private let input: Mutex<Int32>
    private let exitStatus = ExitStatus()
    private let isOver = Atomic(false)

    var identifier: pid_t { process.identifier }
    /// Whether the process ended and all its lines were received.
    var hasEnded: Bool { isOver.load(ordering: .acquiring) }

    /// Starts this program again with a work order; `line` receives every line of its output, on a dedicated thread.
    init(_ arguments: [String], _ order: String, line: @escaping @Sendable (String) -> Void) throws {
        let variables = ["PATH": "/usr/bin:/bin", WorkOrder.variable: order]
        let process = try Spawned.start("/proc/self/exe", arguments, variables, sharingErrors: true)
        self.process = process
        input = Mutex(process.input)
        _ = DedicatedThread.start { [self] in
            LineReader.read(process.output, line)
            close(process.output)
            let status = process.wait()
            isOver.store(true, ordering: .releasing)
            exitStatus.set(status)
        }
    }

    /// Writes a line to the process's standard input, after which the process continues or ends.
    func send(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        input.withLock { _ = unsafe write($0, bytes, bytes.count) }
    }

    func signal(_ number: Int32) {
        // The system may reuse the identifier of a process that ended.
        if !hasEnded { kill(identifier, number) }
    }

    /// Waits until the process ended and all its lines were received; returns its exit status, or 128 plus the number of the ending signal.
    func end() async -> Int32 {
        let status = await exitStatus.value()
        input.withLock { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
        return status
    }
}
