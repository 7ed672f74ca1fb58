internal import Foundation

struct Report {
    private var measurements: [Measurement] = []

    mutating func add(_ measurement: Measurement) { measurements.append(measurement) }

    func show(_ row: Row) {
        Self.write("\n\(row.title)  [\(row.name)]")
        Self.line(["", row.unit, "min … max", "a second", "allocations", "× \(row.peers[0].name)"])
        let yardstick = values(row, row.peers[0].name).median
        var peers: [String] = []
        for measurement in measurements where measurement.row == row.name && !peers.contains(measurement.peer) {
            peers.append(measurement.peer)
        }
        for peer in peers {
            let values = values(row, peer)
            let all = measurements.filter { $0.row == row.name && $0.peer == peer }
            let rates = all.compactMap(\.operationsPerSecond).sorted()
            let allocations = all.compactMap(\.allocations).sorted()
            Self.line([
                peer,
                Self.number(values.median),
                "\(Self.number(values.first ?? 0)) … \(Self.number(values.last ?? 0))",
                rates.isEmpty ? "" : String(Int(rates.median)),
                allocations.isEmpty ? "" : Self.number(allocations.median),
                peer == row.peers[0].name ? "" : Self.number(values.median / yardstick),
            ])
        }
    }

    private func values(_ row: Row, _ peer: String) -> [Double] {
        measurements.filter { $0.row == row.name && $0.peer == peer }.map(\.value).sorted()
    }

    private static func number(_ value: Double) -> String {
        String(format: value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
    }

    private static func line(_ cells: [String]) {
        var text = "  "
        for (cell, width) in zip(cells, [26, 12, 20, 12, 13, 16]) {
            text += cell + String(repeating: " ", count: max(1, width - cell.count))
        }
        write(text)
    }

    /// Writes without buffering, because a run takes minutes.
    static func write(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }
}

extension [Double] {
    /// The median, if the values are sorted.
    var median: Double { isEmpty ? 0 : self[count / 2] }
}
