internal import Foundation

/// How long one thing takes, done again and again.
struct Timing {
    /// In milliseconds.
    let best: Double
    /// In milliseconds.
    let median: Double

    /// Measures for some time; the best of all rounds says what the code costs, the median what the machine made of it.
    static func measure(for time: Duration, _ operation: () throws -> Void) rethrows -> Timing {
        var rounds: [Double] = []
        let clock = ContinuousClock()
        let start = clock.now
        while clock.now - start < time {
            let before = clock.now
            try operation()
            rounds.append((clock.now - before) / .milliseconds(1))
        }
        rounds.sort()
        return Timing(best: rounds.first ?? 0, median: rounds[rounds.count / 2])
    }

    static func measure(for time: Duration, _ operation: () async throws -> Void) async rethrows -> Timing {
        var rounds: [Double] = []
        let clock = ContinuousClock()
        let start = clock.now
        while clock.now - start < time {
            let before = clock.now
            try await operation()
            rounds.append((clock.now - before) / .milliseconds(1))
        }
        rounds.sort()
        return Timing(best: rounds.first ?? 0, median: rounds[rounds.count / 2])
    }
}

/// Prints lines as results come.
enum Report {
    static func heading(_ title: String) {
        write("\n\(title)")
        line("", "best", "median", "MB/s", "")
    }

    /// Prints a line of the report.
    ///
    /// - Parameters:
    ///   - name: The name of the measurement.
    ///   - timing: The times.
    ///   - bytes: How much was read or written each time.
    ///   - other: What the ratio compares with, by medians.
    static func line(_ name: String, _ timing: Timing, bytes: Int? = nil, against other: Timing? = nil) {
        line(
            name,
            milliseconds(timing.best),
            milliseconds(timing.median),
            bytes.map { "\(Int(Double($0) / timing.median / 1_000))" } ?? "",
            other.map { String(format: "%.1f times as fast", $0.median / timing.median) } ?? ""
        )
    }

    private static func milliseconds(_ time: Double) -> String {
        String(format: time < 1 ? "%.4f ms" : "%.2f ms", time)
    }

    private static func line(_ cells: String...) {
        let widths = [52, 12, 12, 8, 24]
        var text = ""
        for (cell, width) in zip(cells, widths) {
            text += cell + String(repeating: " ", count: max(1, width - cell.count))
        }
        write(text)
    }

    static func write(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }
}
