internal import Foundation
internal import Synchronization

/// Readers beside a writer through SQLite's C interface, each with a thread and a connection of its own.
enum Contention {
    private final class State: Sendable {
        let isOver = Atomic<Bool>(false)
        let saves = Atomic<Int>(0)
    }

    /// Reads for some time while one thread saves without a pause; who finds the file locked waits as SQLite does.
    static func readers(
        _ count: Int,
        besideWriterAt path: String,
        slot: Int,
        rows: Int,
        for time: Duration
    ) async throws -> (reads: Samples, saves: Int) {
        let state = State()
        return try await withThrowingTaskGroup(of: Samples.self) { group in
            group.addTask {
                try await onThread {
                    let connection = connection(path, slot)
                    let body = [UInt8](repeating: 1, count: 400)
                    while !state.isOver.load(ordering: .relaxed) {
                        if (try? connection.save(0, body)) != nil { state.saves.add(1, ordering: .relaxed) }
                    }
                    return Samples()
                }
            }
            for reader in 0..<count {
                group.addTask {
                    try await onThread {
                        defer { state.isOver.store(true, ordering: .relaxed) }
                        let connection = connection(path, slot)
                        var samples = Samples()
                        let clock = ContinuousClock()
                        let start = clock.now
                        while clock.now - start < time {
                            let before = clock.now
                            let row = Int64((samples.durations.count &* 7_919 + reader * 31) % rows)
                            if (try? connection.read(row)) != nil { samples.add(clock.now - before) }
                        }
                        return samples
                    }
                }
            }
            var all = try await group.reduce(into: Samples()) { $0.add($1) }
            all.elapsed = time
            return (all, state.saves.load(ordering: .relaxed))
        }
    }

    /// Opens the file; settings do not wait for a lock as statements do.
    private static func connection(_ path: String, _ slot: Int) -> BareSQLite {
        while true {
            if let connection = try? BareSQLite(path: path, slot: slot) { return connection }
            Thread.sleep(forTimeInterval: 0.001)
        }
    }

    private static func onThread(_ work: @escaping @Sendable () throws -> Samples) async throws -> Samples {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
        }
    }
}
