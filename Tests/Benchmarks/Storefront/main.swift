internal import Foundation

// storefront-benchmark [SECONDS]: how fast answers are read and requests written, beside Foundation's decoders, and what the cart
// adapter costs beside the network.
let seconds = CommandLine.arguments.dropFirst().first.flatMap { Double($0) } ?? 1
let time = Duration.seconds(seconds)
let base =
    ProcessInfo.processInfo.environment["IDENTITYKIT_BENCHMARK_FOLDER"] ?? FileManager.default.temporaryDirectory.path
let folder = "\(base)/storefront-benchmark-\(UUID().uuidString)"
try FileManager.default.createDirectory(
    atPath: folder,
    withIntermediateDirectories: true,
    attributes: [.posixPermissions: 0o700]
)
defer { try? FileManager.default.removeItem(atPath: folder) }
try DecodingBenchmark(time: time).run()
try await AdapterBenchmark(folder: folder, time: time).run()
