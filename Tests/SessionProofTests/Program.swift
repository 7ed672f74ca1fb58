import Foundation
import IdentityPlatform
import TestProcesses

/// Runs a program, from beside the test bundle or by its path.
struct Program: Sendable {
    struct Ended: Sendable {
        /// The exit status; 128 plus the signal number after a signal.
        let status: Int32
        let output: String
    }

    private struct EndedBeforeStop: Error {}

    let name: String
    var path: String { name.hasPrefix("/") ? name : Spawned.path(of: name) }

    /// Runs the program and returns its output, including standard error.
    func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> Ended {
        await (try launch(arguments, environment: environment)).end()
    }

    /// Starts the program; call ``Running/end()`` in any case.
    func launch(_ arguments: [String], environment: [String: String] = [:]) throws -> Running {
        let variables = environment.merging(["PATH": "/usr/bin:/bin"]) { given, _ in given }
        // The shell sends both outputs to one pipe.
        let call = ["-c", #"exec "$0" "$@" 2>&1"#, path] + arguments
        return Running(process: try Spawned.start("/bin/sh", call, variables))
    }

    struct Running: Sendable {
        fileprivate let process: Spawned

        /// Waits until a signal has stopped the process.
        func waitUntilStopped() async throws {
            while true {
                let text = try String(contentsOfFile: "/proc/\(process.identifier)/stat", encoding: .utf8)
                // The state follows the name, which is in parentheses.
                let state = text.split(separator: ")").last?.split(separator: " ").first
                if state == "T" { return }
                if state == "Z" { throw EndedBeforeStop() }
                try await Task.sleep(for: .milliseconds(20))
            }
        }

        /// Kills the process; call ``end()`` afterwards.
        func crash() { kill(process.identifier, SIGKILL) }

        func resume() { kill(process.identifier, SIGCONT) }

        func end() async -> Ended {
            await withCheckedContinuation { continuation in
                // The wait runs on a dedicated thread, because it blocks until the program ends.
                _ = DedicatedThread.start { continuation.resume(returning: finish()) }
            }
        }

        private func finish() -> Ended {
            for descriptor in [process.input, process.errors] { close(descriptor) }
            defer { close(process.output) }
            var output: [UInt8] = []
            var room = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = unsafe read(process.output, &room, room.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                output += room[..<count]
            }
            return Ended(status: process.wait(), output: String(decoding: output, as: UTF8.self))
        }
    }
}
