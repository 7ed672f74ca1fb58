import Foundation
import Testing

@Suite("The samples in documentation comments")
struct CommentSampleTests {
    /// A sample, and where its comment is.
    private struct Sample {
        let place: String
        var lines: [String] = []
    }

    /// The Swift files below a folder: their paths, and their lines without leading and trailing white space.
    private static func files(in folder: String) throws -> [(path: String, lines: [String])] {
        let root = (1...3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
        return try paths.filter { $0.hasSuffix(".swift") }.sorted().map { name in
            let path = "\(folder)/\(name)"
            let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
            return (path, text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
        }
    }

    /// The Swift blocks of the documentation comments of a file.
    private static func samples(of path: String, _ lines: [String]) -> [Sample] {
        var samples: [Sample] = []
        var open: Sample?
        for (index, line) in lines.enumerated() {
            let text = line.hasPrefix("///") ? line.dropFirst(3).trimmingCharacters(in: .whitespaces) : nil
            if let text, text != "```" {
                open?.lines.append(text)
                if text.hasPrefix("```swift") { open = Sample(place: "\(path):\(index + 1)") }
            } else if let sample = open {
                samples.append(sample)
                open = nil
            }
        }
        return samples
    }

    @Test("every Swift sample of a documentation comment is code that compiles")
    func samples() throws {
        let samples = try Self.files(in: "Sources").flatMap(Self.samples)
        #expect(samples.count > 80)
        let folder = "Tests/CommentSampleTests/Samples"
        let compiled = try Self.files(in: folder).map { Self.text($0.lines) }
        for sample in samples {
            #expect(
                !sample.lines.isEmpty && compiled.contains { $0.contains(Self.text(sample.lines)) },
                "The sample at \(sample.place) is not in \(folder): copy it there, and make it compile."
            )
        }
    }

    /// Whole lines, so that no sample is found in the middle of a line.
    private static func text(_ lines: [String]) -> String { "\n" + lines.joined(separator: "\n") + "\n" }
}
