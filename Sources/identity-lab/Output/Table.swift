struct Table {
    private let head: [String]
    private var rows: [[String]] = []

    init(_ head: [String]) {
        self.head = head
    }

    mutating func add(_ row: [String]) {
        rows.append(row)
    }

    func lines(_ palette: Palette) -> [String] {
        let widths = head.indices.map { column in
            ([head] + rows).map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
        }
        let line = { (cells: [String]) in
            zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
        }
        let rule = widths.map { String(repeating: "─", count: $0) }.joined(separator: "──")
        return [palette.bold(line(head)), palette.dim(rule)] + rows.map(line)
    }
}
