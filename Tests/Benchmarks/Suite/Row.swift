internal import Yardsticks

/// A row of the suite: some work, done by several peers.
struct Row: Sendable {
    /// The name for `--only` and for the recorded counts.
    let name: String
    let title: String
    var unit = "µs of CPU"
    /// The first is the yardstick, which the others are compared with.
    let peers: [Peer]
    /// Left out by `--quick`.
    var isLong = false
    /// Measured only when `--only` names it.
    var isHuge = false
}

/// Something that does a row's work.
struct Peer: Sendable {
    typealias Operation = @Sendable () async throws -> Void

    enum Work: Sendable {
        /// Code in C that measures itself.
        case yardstick(@Sendable (Context) -> YardstickResult)
        /// A repeated operation; the closure prepares it.
        case operation(callers: Int, batch: Int = 1, @Sendable (Context) async throws -> Operation)
        /// A single measured value, in the row's unit.
        case figure(@Sendable (Context) async throws -> Double)
    }

    let name: String
    let work: Work
    /// The SDK's allocations are compared with the recorded ones.
    var isCounted = false

    func measure(row: String, in context: Context) async throws -> Measurement {
        let cost: Cost
        switch work {
        case .yardstick(let measure): cost = Cost(measure(context))
        case .operation(let callers, let batch, let prepare):
            let operation = try await prepare(context)
            cost = try await Cost(callers: callers, batch: batch, seconds: context.seconds, operation)
        case .figure(let measure): return Measurement(row: row, peer: name, value: try await measure(context))
        }
        let count = Double(max(1, cost.operations))
        return Measurement(
            row: row,
            peer: name,
            value: cost.cpuMicroseconds / count,
            operationsPerSecond: count / cost.seconds,
            allocations: cost.allocations / count
        )
    }
}

/// All rows, in the order of the table.
let rows: [Row] = ProtocolRows.all + StorefrontRows.all + SessionRows.all + StoreRows.all + ScaleRows.all
