import Foundation

struct Sample {
    let place: String
    /// Whether the text before the sample says that no test compiles it.
    let isMarked: Bool
    private var lines: [String] = []

    private init(place: String, isMarked: Bool) {
        self.place = place
        self.isMarked = isMarked
    }

    static func samples(ofPage page: SourceText) -> [Sample] { samples(of: page.path, page.lines) }

    /// The Swift blocks in the documentation comments of a file.
    static func samples(ofComments file: SourceText) -> [Sample] {
        let lines = file.lines.map { line in
            line.hasPrefix("///") ? line.dropFirst(3).trimmingCharacters(in: .whitespaces) : nil
        }
        return samples(of: file.path, lines)
    }

    /// The Swift blocks in the lines of a file; a line is nil if it is outside of comments.
    private static func samples(of path: String, _ lines: [String?]) -> [Sample] {
        var samples: [Sample] = []
        var open: Sample?
        for (index, line) in lines.enumerated() {
            if let line, line != "```" {
                open?.lines.append(line)
                if line.hasPrefix("```swift") {
                    let isMarked = lines[..<index].last { $0 != "" }??.hasSuffix("Not compiled by a test:") == true
                    open = Sample(place: "\(path):\(index + 1)", isMarked: isMarked)
                }
            } else if let sample = open {
                samples.append(sample)
                open = nil
            }
        }
        return samples
    }

    /// Whether a file contains the lines of this sample; a comment that begins with `// …` stands for any lines.
    ///
    /// The imports can be anywhere in the file.
    func isPart(of file: SourceText) -> Bool {
        let imports = lines.filter { $0.hasPrefix("import ") }
        let code = lines.filter { !$0.hasPrefix("import ") }.drop { $0.isEmpty }
        let parts = code.split { $0.hasPrefix("// …") }
        guard !parts.isEmpty, parts.joined().allSatisfy(file.distinctLines.contains) else { return false }
        var rest = file.text[...]
        for part in parts {
            guard let range = rest.range(of: SourceText.text(part)) else { return false }
            rest = rest[rest.index(before: range.upperBound)...]
        }
        return imports.allSatisfy { file.text.contains("\($0)\n") }
    }
}
