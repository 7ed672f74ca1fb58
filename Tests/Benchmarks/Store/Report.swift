internal import Foundation

/// Prints a table line by line, as results come.
enum Report {
    private static let widths = [46, 12, 10, 10, 22]

    static func heading(_ title: String) {
        write("\n\(title)")
        line("", "a second", "p50", "p99", "")
    }

    static func line(_ name: String, _ samples: Samples, _ note: String = "") {
        line(name, "\(Int(samples.rate))", samples.percentile(0.5).text, samples.percentile(0.99).text, note)
    }

    static func line(_ cells: String...) {
        var text = ""
        for (cell, width) in zip(cells, widths) {
            text += cell + String(repeating: " ", count: max(1, width - cell.count))
        }
        write(text)
    }

    /// At once, for a run takes minutes.
    static func write(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    static func ratio(_ ours: Double, _ theirs: Double, _ what: String) -> String {
        "\((ours / theirs * 100).rounded() / 100) of \(what)"
    }
}
