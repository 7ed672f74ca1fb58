import Foundation
import IdentityHTTP
import IdentityKit
import IdentityPlatform
import Synchronization
import TestProcesses
import Testing

/// A running `identity-lab` whose output can be read while it runs.
final class LabProcess: Sendable {
    private struct Channel {
        var bytes: [UInt8] = []
        var isClosed = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private struct State {
        var output = Channel()
        var errors = Channel()
        /// The number of lines that the test has read.
        var taken = 0
    }

    struct Ended: Sendable {
        let status: Int32
        let output: String
        let errors: String

        /// The lines of standard output, parsed as JSON objects.
        func events() throws -> [JSONValue] {
            try output.split(separator: "\n").map { line in
                let value = try JSONValue(parsing: Array(line.utf8))
                try #require(value["event"]?.string != nil, "\(line)")
                return value
            }
        }

        func event(_ name: String) throws -> JSONValue {
            try #require(try events().last { $0["event"]?.string == name }, "\(output) \(errors)")
        }

        /// The id of the session that a command printed, for example `login`.
        var sessionID: String {
            get throws { try #require(try event("session")["id"]?.string, "\(output) \(errors)") }
        }
    }

    private let state = Mutex(State())
    private let exitStatus = ExitStatus()
    private let process: Spawned
    /// The write end of its standard input; -1 after it is closed.
    private let input: Mutex<Int32>

    /// How the test reads an output of the process.
    enum Reader {
        case reads
        /// The read end of the pipe is closed after a line.
        case readsLine
        /// The test reads one line and nothing more; ``LabProcess/leave()`` closes the read end of the pipe.
        case readsLineAndStays
        /// The read end of the pipe is closed before the program starts.
        case leaves
        /// The process starts without standard output.
        case missing
    }

    init(
        _ arguments: [String],
        environment: [String: String],
        output: Reader = .reads,
        errors: Reader = .reads
    ) throws {
        let variables = environment.merging(["PATH": "/usr/bin:/bin"]) { given, _ in given }
        let program = Spawned.path(of: "identity-lab")
        // The shell starts the program after a line, because the program could write to the pipe before its read end is closed.
        let waits = output == .leaves || errors == .leaves
        let call = (waits ? "read line; " : "") + #"exec "$0" "$@""# + (output == .missing ? " >&-" : "")
        process =
            waits || output == .missing
            ? try Spawned.start("/bin/sh", ["-c", call, program] + arguments, variables)
            : try Spawned.start(program, arguments, variables)
        input = Mutex(process.input)
        follow(process.output, \.output, output)
        follow(process.errors, \.errors, errors)
        if waits { send("") }
        _ = DedicatedThread.start { [exitStatus, process] in exitStatus.set(process.wait()) }
    }

    deinit {
        closeInput()
    }

    func send(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        input.withLock { _ = unsafe write($0, bytes, bytes.count) }
    }

    func closeInput() {
        input.withLock { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
    }

    func signal(_ number: Int32) {
        kill(process.identifier, number)
    }

    /// Closes the read end of standard output, for the reader `readsLineAndStays`.
    func leave() {
        close(process.output)
    }

    /// Waits for the next event on standard output; nil at the end of the output.
    func nextEvent() async throws -> JSONValue? {
        try await nextLine().map { try JSONValue(parsing: Array($0.utf8)) }
    }

    /// Waits for the next line on standard output; nil at the end of the output.
    func nextLine() async -> String? {
        while true {
            let line: String?? = state.withLock { state in
                let lines = state.output.bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
                if lines.count > state.taken + 1 {
                    defer { state.taken += 1 }
                    return .some(String(decoding: lines[state.taken], as: UTF8.self))
                }
                return state.output.isClosed ? .some(nil) : nil
            }
            if let line { return line }
            await change(\.output)
        }
    }

    func ended() async -> Ended {
        let status = await exitStatus.value()
        while state.withLock({ !$0.output.isClosed }) { await change(\.output) }
        while state.withLock({ !$0.errors.isClosed }) { await change(\.errors) }
        return state.withLock { state in
            Ended(
                status: status,
                output: String(decoding: state.output.bytes, as: UTF8.self),
                errors: String(decoding: state.errors.bytes, as: UTF8.self)
            )
        }
    }

    /// Reads on a dedicated thread, because a blocked thread of the cooperative pool would starve other tests.
    private func follow(
        _ descriptor: Int32,
        _ path: any WritableKeyPath<State, Channel> & Sendable,
        _ reader: Reader
    ) {
        guard reader != .leaves else {
            close(descriptor)
            state.withLock { $0[keyPath: path].isClosed = true }
            return
        }
        _ = DedicatedThread.start { [self] in
            var room = [UInt8](repeating: 0, count: 65_536)
            var count = 1
            while count > 0 {
                count = unsafe read(descriptor, &room, room.count)
                if count < 0, errno == EINTR {
                    count = 1
                    continue
                }
                let waiters = state.withLock { state in
                    state[keyPath: path].bytes += room[..<max(0, count)]
                    if reader == .readsLine || reader == .readsLineAndStays,
                        state[keyPath: path].bytes.contains(0x0A)
                    {
                        count = 0
                    }
                    if count <= 0 { state[keyPath: path].isClosed = true }
                    defer { state[keyPath: path].waiters = [] }
                    return state[keyPath: path].waiters
                }
                for waiter in waiters { waiter.resume() }
            }
            if reader != .readsLineAndStays { close(descriptor) }
        }
    }

    /// Waits until the process wrote more output or ended.
    private func change(_ path: any WritableKeyPath<State, Channel> & Sendable) async {
        let seen = state.withLock { $0[keyPath: path].bytes.count }
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                let channel = state[keyPath: path]
                if channel.isClosed || channel.bytes.count > seen { return true }
                state[keyPath: path].waiters.append(continuation)
                return false
            }
            if isDone { continuation.resume() }
        }
    }
}
