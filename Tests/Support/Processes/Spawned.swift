internal import FoundationEssentials
package import Glibc
internal import Synchronization

/// A child process with its three pipes.
///
/// Uses `posix_spawn` and waits on a thread, because Foundation's `Process` sometimes misses the end of one of many processes.
package struct Spawned: Sendable {
    package let identifier: pid_t
    /// This process's ends of the pipes.
    package let input: Int32
    package let output: Int32
    /// This process's end of the pipe for the child's errors; -1 if the child writes its errors where this process does.
    package let errors: Int32

    package struct Failure: Error {
        let operation: String
        let number: Int32
    }

    /// Locked while pipes are created and passed on, because a process that starts in between would keep the pipe open.
    private static let spawning = Mutex(())

    /// The path of a program of this package, which was built with the tests.
    package static func path(of program: String) -> String {
        let bundle = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let folders = sequence(first: bundle) { $0.path == "/" ? nil : $0.deletingLastPathComponent() }
        let found = folders.map { $0.appendingPathComponent(program) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) && !$0.hasDirectoryPath }
        return (found ?? bundle.appendingPathComponent(program)).path
    }

    package static func start(
        _ program: String,
        _ arguments: [String],
        _ environment: [String: String],
        sharingErrors: Bool = false
    ) throws -> Spawned {
        // Writing to a child that no longer reads must not end the tests.
        signal(SIGPIPE, SIG_IGN)
        return try spawning.withLock { _ in
            let pipes = try (0..<(sharingErrors ? 2 : 3)).map { _ in try pipe() }
            let theirs = [pipes[0].read] + pipes.dropFirst().map(\.write)
            defer { for end in theirs { close(end) } }
            var actions = unsafe posix_spawn_file_actions_t()
            unsafe posix_spawn_file_actions_init(&actions)
            defer { unsafe posix_spawn_file_actions_destroy(&actions) }
            for (number, end) in theirs.enumerated() {
                unsafe posix_spawn_file_actions_adddup2(&actions, end, Int32(number))
            }
            // The child inherits no other descriptor. Otherwise the pipe of a running exit test would stay open until the
            // child ends.
            for number in 3..<min(Int32(sysconf(Int32(_SC_OPEN_MAX))), 1_024) {
                unsafe posix_spawn_file_actions_addclose(&actions, number)
            }
            var attributes = posix_spawnattr_t()
            unsafe posix_spawnattr_init(&attributes)
            defer { unsafe posix_spawnattr_destroy(&attributes) }
            // The child does not inherit blocked or ignored signals.
            var all = sigset_t()
            var none = sigset_t()
            unsafe sigfillset(&all)
            unsafe sigemptyset(&none)
            unsafe posix_spawnattr_setsigdefault(&attributes, &all)
            unsafe posix_spawnattr_setsigmask(&attributes, &none)
            unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
            var identifier = pid_t()
            let words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
            let variables = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
            defer { unsafe (words + variables).forEach { unsafe free($0) } }
            let result = unsafe posix_spawn(&identifier, program, &actions, &attributes, words, variables)
            guard result == 0 else { throw Failure(operation: "posix_spawn", number: result) }
            return Spawned(
                identifier: identifier,
                input: pipes[0].write,
                output: pipes[1].read,
                errors: sharingErrors ? -1 : pipes[2].read
            )
        }
    }

    /// Blocks until the process has ended; returns 128 plus the signal number after a signal, as a shell does.
    package func wait() -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }

    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard unsafe Glibc.pipe(&ends) == 0 else { throw Failure(operation: "pipe", number: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
