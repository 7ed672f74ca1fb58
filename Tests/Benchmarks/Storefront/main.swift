internal import Foundation

// storefront-benchmark [SECONDS]: how fast answers are read and requests written, beside Foundation's decoders.
let seconds = CommandLine.arguments.dropFirst().first.flatMap { Double($0) } ?? 1
let time = Duration.seconds(seconds)
try DecodingBenchmark(time: time).run()
