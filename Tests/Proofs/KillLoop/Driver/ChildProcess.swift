internal import IdentityPlatform
internal import Synchronization
internal import TestProcesses

/// A process of a run: its output is read line by line, and closing its standard input tells it to stop.
final class ChildProcess: Sendable {
    private let process: Spawned
    private let input: Mutex<Int32>
    private let exitStatus = ExitStatus()

    var identifier: pid_t { process.identifier }

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
        _ = DedicatedThread.start { [exitStatus] in
            LineReader.read(process.output, line)
            close(process.output)
            exitStatus.set(process.wait())
        }
    }

    /// Writes a line to its standard input, after which it continues or ends.
    func send(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        input.withLock { _ = unsafe write($0, bytes, bytes.count) }
    }

    func signal(_ number: Int32) {
        kill(identifier, number)
    }

    /// Waits until it ended and all its lines were received.
    func end() async {
        _ = await exitStatus.value()
        input.withLock { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
    }
}
