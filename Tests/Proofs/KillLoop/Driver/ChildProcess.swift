internal import Glibc
internal import IdentityHTTP
internal import IdentityPlatform
internal import Synchronization
internal import TestProcesses

/// A process of a run: its output is read line by line, and closing its standard input tells it to stop.
final class ChildProcess: Sendable {
    struct Failure: Error {
        let operation: String
        let number: Int32
    }

    private static let spawning = Mutex(())

    let identifier: pid_t
    private let input: Mutex<Int32>
    private let exitStatus = ExitStatus()

    /// Starts this program again.
    ///
    /// - Parameters:
    ///   - arguments: Its command-line arguments.
    ///   - order: Its work order.
    ///   - line: Receives every line of its output, on a dedicated thread.
    /// - Throws: An error when the process does not start.
    init(_ arguments: [String], _ order: String, line: @escaping @Sendable (String) -> Void) throws {
        let (identifier, input, output) = try Self.spawning.withLock { _ in try Self.spawn(arguments, order) }
        self.identifier = identifier
        self.input = Mutex(input)
        let exitStatus = exitStatus
        _ = DedicatedThread.start {
            Self.read(output, line)
            var status: Int32 = 0
            while unsafe waitpid(identifier, &status, 0) < 0, errno == EINTR {}
            exitStatus.set(status)
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

    /// Waits until it ended and all its lines were received; returns the status of `waitpid`.
    func end() async -> Int32 {
        let status = await exitStatus.value()
        input.withLock { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
        return status
    }

    private static func spawn(_ arguments: [String], _ order: String) throws -> (pid_t, Int32, Int32) {
        Glibc.signal(SIGPIPE, SIG_IGN)
        var (down, up): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        guard unsafe pipe(&down) == 0, unsafe pipe(&up) == 0 else { throw Failure(operation: "pipe", number: errno) }
        for end in down + up { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer {
            close(down[0])
            close(up[1])
        }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, down[0], 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, up[1], 1)
        let given = ["PATH=/usr/bin:/bin", "\(WorkOrder.variable)=\(order)"]
        let words = unsafe (["identity-kill-loop"] + arguments).map { unsafe strdup($0) } + [nil]
        let variables = unsafe given.map { unsafe strdup($0) } + [nil]
        defer { unsafe (words + variables).forEach { unsafe free($0) } }
        var identifier = pid_t()
        let result = unsafe posix_spawn(&identifier, "/proc/self/exe", &actions, nil, words, variables)
        guard result == 0 else { throw Failure(operation: "posix_spawn", number: result) }
        return (identifier, down[1], up[0])
    }

    private static func read(_ descriptor: Int32, _ line: (String) -> Void) {
        defer { close(descriptor) }
        var pending: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe Glibc.read(descriptor, &room, room.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            pending += room[..<count]
            while let end = pending.firstIndex(of: 10) {
                line(String(decoding: pending[..<end], as: UTF8.self))
                pending.removeSubrange(...end)
            }
        }
    }
}
