struct SwiftWriter {
    private(set) var text = ""
    private var depth = 0

    mutating func line(_ line: String = "") {
        if !line.isEmpty { text += String(repeating: "    ", count: depth) + line }
        text += "\n"
    }

    mutating func list(_ items: [String]) {
        indented { writer in
            for (index, item) in items.enumerated() { writer.line(item + (index + 1 < items.count ? "," : "")) }
        }
    }

    mutating func block(_ head: String, _ body: (inout SwiftWriter) -> Void) {
        line(head + " {")
        indented(body)
        line("}")
    }

    mutating func indented(_ body: (inout SwiftWriter) -> Void) {
        depth += 1
        body(&self)
        depth -= 1
    }

    /// Writes a comment with `///` before each line: otherwise, the lines after a line break in a schema's description would become code.
    mutating func comment(_ text: String) {
        var lines: [String] = []
        for part in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            let plain = PlainText.plain(String(part))
            if plain.isEmpty, lines.last?.isEmpty ?? true { continue }
            lines.append(plain)
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        for plain in lines { line(plain.isEmpty ? "///" : "/// \(plain)") }
    }

    /// Writes a raw multi-line literal, without escapes.
    mutating func literal(_ head: String, _ text: String, _ tail: String) {
        var fence = "#"
        while text.contains("\"\"\"\(fence)") || text.contains("\\\(fence)") { fence += "#" }
        line("\(head)\(fence)\"\"\"")
        indented { writer in
            for part in text.split(separator: "\n", omittingEmptySubsequences: false) { writer.line(String(part)) }
            writer.line("\"\"\"\(fence)\(tail)")
        }
    }
}
