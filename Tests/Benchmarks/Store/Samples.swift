/// How long single operations took.
struct Samples: Sendable {
    private(set) var durations: [Duration] = []
    /// From the first to the last.
    var elapsed = Duration.zero

    mutating func add(_ duration: Duration) { durations.append(duration) }

    mutating func add(_ other: Samples) { durations += other.durations }

    /// Operations a second.
    var rate: Double { Double(durations.count) / (elapsed / .seconds(1)) }

    func percentile(_ share: Double) -> Duration {
        let sorted = durations.sorted()
        guard !sorted.isEmpty else { return .zero }
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }

    /// Runs one operation again and again for some time.
    static func measure(for time: Duration, _ operation: (Int) async throws -> Void) async throws -> Samples {
        var samples = Samples()
        let clock = ContinuousClock()
        let start = clock.now
        var count = 0
        while clock.now - start < time {
            let before = clock.now
            try await operation(count)
            samples.add(clock.now - before)
            count += 1
        }
        samples.elapsed = clock.now - start
        return samples
    }
}

extension Duration {
    var text: String {
        let microseconds = self / .microseconds(1)
        return microseconds < 1_000 ? "\(Int(microseconds)) us" : "\((microseconds / 10).rounded() / 100) ms"
    }
}
