internal import Yardsticks

/// A row of the suite: some work, and the peers that do it, such as C and the SDK.
struct Row: Sendable {
    /// The name for `--only` and for the recorded counts.
    let name: String
    let title: String
    var unit = "µs of CPU"
    /// The first peer is the reference, with which the others are compared.
    let peers: [Peer]
    /// Whether `--quick` leaves the row out.
    var isLong = false
    /// Whether the row is measured only if `--only` names it.
    var isHuge = false
}

/// A program or library that does the work of a row.
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
    /// Whether the allocations are compared with the recorded ones.
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

let rows: [Row] =
    LoginRows.all + StorefrontRows.all + SessionManagerRows.all + SQLiteStoreRows.all + PostgresStoreRows.all
    + ScaleRows.all
