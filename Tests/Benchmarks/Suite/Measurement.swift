internal import Synchronization
internal import Yardsticks

/// The port of the provider, the folder for files, and how long a peer is measured.
struct Context: Codable, Sendable {
    let folder: String
    let port: Int
    let seconds: Double
    /// Whether rows use small sizes, for a short run that only shows that all rows work.
    let isQuick: Bool
}

/// The result of one peer for a row in one round.
struct Measurement: Codable, Sendable {
    var row: String
    var peer: String
    /// CPU microseconds of the process per operation, or the value of a `figure` in the row's unit.
    var value: Double
    var operationsPerSecond: Double?
    var allocations: Double?
}

/// The cost of some operations: time, CPU time and allocations.
struct Cost {
    var operations = 0
    var seconds = 0.0
    var cpuMicroseconds = 0.0
    var allocations = 0.0

    init(_ result: YardstickResult) {
        operations = Int(result.operations)
        seconds = result.seconds
        cpuMicroseconds = result.cpu_microseconds
        allocations = Double(result.allocations)
    }

    /// Repeats an operation for a fifth of a second to warm up, then for the given time; reads the clock after each batch.
    init(
        callers: Int,
        batch: Int,
        seconds: Double,
        _ operation: @escaping @Sendable () async throws -> Void
    ) async throws {
        _ = try await Self.repeated(by: callers, batch, for: min(seconds, 0.2), operation)
        let cpu = yardstick_cpu_microseconds()
        let allocated = yardstick_allocations()
        let clock = ContinuousClock()
        let start = clock.now
        operations = try await Self.repeated(by: callers, batch, for: seconds, operation)
        self.seconds = (clock.now - start) / .seconds(1)
        cpuMicroseconds = yardstick_cpu_microseconds() - cpu
        allocations = Double(yardstick_allocations() - allocated)
    }

    private static func repeated(
        by callers: Int,
        _ batch: Int,
        for seconds: Double,
        _ operation: @escaping @Sendable () async throws -> Void
    ) async throws -> Int {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(seconds)
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<callers {
                group.addTask {
                    var count = 0
                    repeat {
                        for _ in 0..<batch { try await operation() }
                        count += batch
                    } while clock.now < end
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
    }

    /// The allocations per operation of a single caller, after a warm-up.
    static func allocations(_ operation: @Sendable () async throws -> Void) async throws -> Double {
        for _ in 0..<100 { try await operation() }
        let count = 300
        let before = yardstick_allocations()
        for _ in 0..<count { try await operation() }
        return Double(yardstick_allocations() - before) / Double(count)
    }
}

/// Consecutive numbers from zero on, for concurrent operations.
final class Numbers: Sendable {
    private let next = Atomic<Int>(0)
    func draw() -> Int { next.add(1, ordering: .relaxed).oldValue }
}
