internal import Foundation

// store-benchmark [SECONDS] [ROWS ...]: how fast saves, reads and refreshes are, beside the bare C library.
let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let seconds = arguments.first ?? 5
let rows = arguments.count > 1 ? Array(arguments.dropFirst()) : [1_000]
let base =
    ProcessInfo.processInfo.environment["IDENTITYKIT_BENCHMARK_FOLDER"] ?? FileManager.default.temporaryDirectory.path
let folder = "\(base)/identity-benchmark-\(UUID().uuidString)"
try FileManager.default.createDirectory(
    atPath: folder,
    withIntermediateDirectories: true,
    attributes: [.posixPermissions: 0o700]
)
defer { try? FileManager.default.removeItem(atPath: folder) }
try await StoreBenchmark(folder: folder, time: .seconds(seconds), slot: 8_192).run(rows: rows)
try await SessionBenchmark(folder: folder, time: .seconds(seconds)).run()
