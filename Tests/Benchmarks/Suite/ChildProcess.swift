internal import BenchmarkLogins
internal import Foundation

/// Starts this program as the server or for one measurement, so that each has its own CPU time and memory.
enum ChildProcess {
    /// Starts the provider and returns its port; the provider ends when its standard input is closed.
    static func serve(_ folder: String) throws -> (port: Int, process: Process, input: Pipe) {
        let process = process(["serve", folder])
        let input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw BenchmarkFailure("The provider did not start.")
        }
        return (port, process, input)
    }

    static func measure(_ row: Row, _ peer: Peer, _ context: Context) throws -> Measurement {
        try JSONDecoder().decode(Measurement.self, from: try run("measure", row, peer, context))
    }

    /// The peers that use other libraries; `Tests/Benchmarks/run --peers` builds their program and sets its path in the environment.
    static func others() throws -> [(row: String, name: String)] {
        guard let program = otherProgram else { return [] }
        let lines = String(decoding: try output(of: process(["list"], program)), as: UTF8.self).split(separator: "\n")
        return lines.map { line in
            let parts = line.split(separator: "\t")
            return (String(parts[0]), String(parts[1]))
        }
    }

    /// Measures another library's peer of a row.
    static func measureOther(_ row: Row, _ peer: String, _ context: Context) throws -> Measurement {
        let text = String(decoding: try JSONEncoder().encode(context), as: UTF8.self)
        let data = try output(of: process(["measure", row.name, peer, text], otherProgram))
        return try JSONDecoder().decode(Measurement.self, from: data)
    }

    private static var otherProgram: String? { ProcessInfo.processInfo.environment["IDENTITYKIT_BENCHMARK_PEERS"] }

    static func count(_ row: Row, _ peer: Peer, _ context: Context) throws -> Double {
        try JSONDecoder().decode(Double.self, from: try run("count", row, peer, context))
    }

    /// The megabytes of memory that a small program has after some logins.
    static func memory(afterLogins count: Int, _ context: Context) throws -> Double {
        let suite = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let program = suite.deletingLastPathComponent().appendingPathComponent("identity-benchmarks-memory").path
        let text = String(decoding: try output(of: process(["\(context.port)", "\(count)"], program)), as: UTF8.self)
        guard let megabytes = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw BenchmarkFailure("The program that measures memory printed no number.")
        }
        return megabytes
    }

    private static func run(_ what: String, _ row: Row, _ peer: Peer, _ context: Context) throws -> Data {
        let text = String(decoding: try JSONEncoder().encode(context), as: UTF8.self)
        let process = process([what, row.name, peer.name, text])
        // With deterministic hashing, dictionaries grow in the same way in each process, so the counts are the same.
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
        return try output(of: process)
    }

    private static func output(of process: Process) throws -> Data {
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkFailure("\((process.arguments ?? []).prefix(3).joined(separator: " ")) failed.")
        }
        return data
    }

    private static func process(_ arguments: [String], _ program: String? = nil) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program ?? "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        return process
    }

    /// Performs the measurement for which the parent process has started this one.
    static func serveParent(_ arguments: [String]) async throws {
        let context = try JSONDecoder().decode(Context.self, from: Data(arguments[3].utf8))
        guard let peer = rows.first(where: { $0.name == arguments[1] })?.peers.first(where: { $0.name == arguments[2] })
        else { throw BenchmarkFailure("No row has a peer of this name.") }
        let encoder = JSONEncoder()
        if arguments[0] == "measure" {
            let measurement = try await peer.measure(row: arguments[1], in: context)
            FileHandle.standardOutput.write(try encoder.encode(measurement))
        } else if case .operation(_, _, let prepare) = peer.work {
            let operation = try await prepare(context)
            FileHandle.standardOutput.write(try encoder.encode(try await Cost.allocations(operation)))
        }
    }
}
