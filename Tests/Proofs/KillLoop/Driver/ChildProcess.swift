internal import IdentityPlatform
internal import Synchronization
internal import TestProcesses

/// A process of a run: its output is read line by line, and closing its standard input tells it to stop.
final class ChildProcess: Sendable {
    private let process: Spawned
    private let input: Mutex<Int32>
    private let exitStatus = ExitStatus()
    private let isOver = Atomic(false)

    var identifier: pid_t { process.identifier }
    /// Whether it ended and all its lines were received.
    var hasEnded: Bool { isOver.load(ordering: .acquiring) }

    /// Starts this program again.
    ///
    /// - Parameters:
    ///   - arguments: Its command-line arguments.
    ///   - order: Its work order.
    ///   - line: Receives every line of its output, on a dedicated thread.
    /// - Throws: An error when the process does not start.
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

    /// Writes a line to its standard input, after which it continues or ends.
    func send(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        input.withLock { _ = unsafe write($0, bytes, bytes.count) }
    }

    func signal(_ number: Int32) {
        // The system may reuse the identifier of a process that ended.
        if !hasEnded { kill(identifier, number) }
    }

    /// Waits until it ended and all its lines were received.
    ///
    /// - Returns: Its exit status; 128 plus the number of the signal if a signal ended it.
    func end() async -> Int32 {
        let status = await exitStatus.value()
        input.withLock { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
        return status
    }
}
