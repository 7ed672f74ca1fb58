import Foundation
import Glibc
import IdentityHTTP
import IdentityPlatform
import Synchronization

/// Runs a program, from beside the test bundle or by its path.
///
/// Uses `posix_spawn` and waits on a thread, because Foundation's `Process` sometimes misses the end of one of many processes.
struct Program: Sendable {
    struct Ended: Sendable {
        /// The exit status; 128 plus the signal number after a signal.
        let status: Int32
        let output: String
    }

    struct Failure: Error {
        let operation: String
        let number: Int32
    }

    let name: String

    var path: String {
        if name.hasPrefix("/") { return name }
        let bundle = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let folders = sequence(first: bundle) { $0.path == "/" ? nil : $0.deletingLastPathComponent() }
        let found = folders.map { $0.appendingPathComponent(name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) && !$0.hasDirectoryPath }
        return (found ?? bundle.appendingPathComponent(name)).path
    }

    /// Runs the program and returns its output, including standard error.
    func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> Ended {
        await (try launch(arguments, environment: environment)).end()
    }

    /// Starts the program; call ``Running/end()`` in any case.
    func launch(_ arguments: [String], environment: [String: String] = [:]) throws -> Running {
        let (identifier, output) = try start(arguments, environment)
        return Running(identifier: identifier, descriptor: output)
    }

    /// A running program.
    struct Running: Sendable {
        let identifier: pid_t
        fileprivate let descriptor: Int32

        /// Waits until a signal has stopped the process.
        func waitUntilStopped() async throws {
            while true {
                let text = try String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8)
                // The state follows the name, which is in parentheses.
                let state = text.split(separator: ")").last?.split(separator: " ").first
                if state == "T" { return }
                if state == "Z" { throw Failure(operation: "waiting for a stop", number: 0) }
                try await Task.sleep(for: .milliseconds(20))
            }
        }

        /// Resumes a stopped process.
        func resume() { kill(identifier, SIGCONT) }

        /// Waits until the process has ended.
        func end() async -> Ended {
            await withCheckedContinuation { continuation in
                // Not on the cooperative pool, because this blocks until the program ends.
                _ = DedicatedThread.start { continuation.resume(returning: finish()) }
            }
        }

        private func finish() -> Ended {
            defer { close(descriptor) }
            var output: [UInt8] = []
            var room = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = unsafe read(descriptor, &room, room.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                output += room[..<count]
            }
            var status: Int32 = 0
            while unsafe waitpid(identifier, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7F
            return Ended(
                status: signal == 0 ? (status >> 8) & 0xFF : 128 + signal,
                output: String(decoding: output, as: UTF8.self)
            )
        }
    }

    /// Locked while a pipe is created and passed on, because a program that starts in between would inherit the pipe.
    private static let spawning = Mutex(())

    private func start(_ arguments: [String], _ environment: [String: String]) throws -> (pid_t, output: Int32) {
        try Self.spawning.withLock { _ in
            var ends: [Int32] = [-1, -1]
            guard unsafe pipe(&ends) == 0 else { throw Failure(operation: "pipe", number: errno) }
            defer { close(ends[1]) }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            var actions = unsafe posix_spawn_file_actions_t()
            unsafe posix_spawn_file_actions_init(&actions)
            defer { unsafe posix_spawn_file_actions_destroy(&actions) }
            unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
            unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
            let words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
            let given = environment.merging(["PATH": "/usr/bin:/bin"]) { given, _ in given }
            let variables = unsafe given.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
            defer { unsafe (words + variables).forEach { unsafe free($0) } }
            var identifier = pid_t()
            let result = unsafe posix_spawn(&identifier, path, &actions, nil, words, variables)
            guard result == 0 else {
                close(ends[0])
                throw Failure(operation: "posix_spawn \(path)", number: result)
            }
            return (identifier, ends[0])
        }
    }
}
