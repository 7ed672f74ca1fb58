import Foundation

/// The work of a row of the suite, with other libraries.
struct Peer: Sendable {
    let row: String
    let name: String
    let callers: Int
    let prepare: @Sendable (Context) async throws -> @Sendable () async throws -> Void
}

struct PeerFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

let peers = TokenPeers.all + HTTPPeers.all + StorePeers.all

// The suite starts this program with "list", and for each measurement with "measure ROW PEER CONTEXT".
let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.first == "list" {
    for peer in peers { print("\(peer.row)\t\(peer.name)") }
} else if arguments.count == 4, arguments[0] == "measure",
    let peer = peers.first(where: { $0.row == arguments[1] && $0.name == arguments[2] })
{
    let context = try JSONDecoder().decode(Context.self, from: Data(arguments[3].utf8))
    let operation = try await peer.prepare(context)
    let cost = try await Cost(callers: peer.callers, batch: 1, seconds: context.seconds, operation)
    let count = Double(max(1, cost.operations))
    let measurement = Measurement(
        row: peer.row,
        peer: peer.name,
        value: cost.cpuMicroseconds / count,
        operationsPerSecond: count / cost.seconds,
        allocations: cost.allocations / count
    )
    FileHandle.standardOutput.write(try JSONEncoder().encode(measurement))
} else {
    FileHandle.standardError.write(Data("Tests/Benchmarks/run --peers starts this program.\n".utf8))
    exit(2)
}
