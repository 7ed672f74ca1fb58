internal import Foundation

struct Suite {
    private let options: Options
    private let countsPath = "Tests/Benchmarks/counts.json"

    init(_ options: Options) { self.options = options }

    /// Measures the rows, and returns false if allocations grew.
    func run() async throws -> Bool {
        let environment = ProcessInfo.processInfo.environment
        let base = environment["IDENTITYKIT_BENCHMARK_FOLDER"] ?? FileManager.default.temporaryDirectory.path
        let folder = "\(base)/identitykit-benchmark-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await StorefrontRows.record(in: folder)
        let server = try ChildProcess.serve(folder)
        defer {
            try? server.input.fileHandleForWriting.close()
            server.process.waitUntilExit()
        }
        let context = Context(
            folder: folder,
            port: server.port,
            seconds: options.seconds,
            isQuick: options.isQuick
        )
        try measure(context)
        return options.checksCounts || options.recordsCounts ? try compareCounts(context) : true
    }

    private func measure(_ context: Context) throws {
        var report = Report()
        var lines: [String] = []
        let others = try ChildProcess.others()
        for row in options.rowsToMeasure {
            if row.isHuge { Report.write("\n\(row.name): the store is filled first, which takes some minutes …") }
            // The peers take turns, so that another load of the machine affects all of them.
            for _ in 0..<(row.isLong ? 1 : options.rounds) {
                var measurements = try row.peers.map { try ChildProcess.measure(row, $0, context) }
                for other in others where other.row == row.name {
                    measurements.append(try ChildProcess.measureOther(row, other.name, context))
                }
                measurements.forEach { report.add($0) }
                lines += try measurements.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
            }
            report.show(row)
        }
        if let path = options.json {
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: path))
        }
    }

    private func compareCounts(_ context: Context) throws -> Bool {
        var allocations: [String: Double] = [:]
        for row in options.rowsToMeasure {
            for peer in row.peers where peer.isCounted {
                allocations["\(row.name): \(peer.name)"] = try ChildProcess.count(row, peer, context).rounded()
            }
        }
        let counts = Counts.here(allocations)
        if options.recordsCounts {
            try counts.write(to: countsPath)
            Report.write("\nWrote \(countsPath).")
            return true
        }
        Report.write("\nAllocations per operation, compared with \(countsPath):")
        return try counts.isWithin(countsPath)
    }
}
