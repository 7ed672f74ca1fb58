import Foundation
import TestGuides
import Testing

@Suite("The table of the source pages")
struct TableTests {
    private struct Row: Hashable {
        let id: String
        let file: String
        let test: String
    }

    private var page: String {
        get throws { try Repository.text("Documentation/Using/SourcePages.md") }
    }

    /// The rows of the page, whose cells are: id, sample, here, why it differs, tests.
    private func rows() throws -> [Row] {
        try page.split(separator: "\n").filter { $0.contains(".swift` \"") }.flatMap { line -> [Row] in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let tests = (cells.last ?? "").matches(of: /`([A-Za-z]+\.swift)` "([^"]+)"/)
            return tests.map { Row(id: cells.first ?? "", file: "\($0.1)", test: "\($0.2)") }
        }
    }

    /// The tests of this target, except for the tests of this file and of the README.
    private func tests() throws -> [Row] {
        let folder = "Tests/SourcePageTests"
        return try FileManager.default.contentsOfDirectory(atPath: Repository.root.appending(path: folder).path)
            .filter { $0.hasSuffix("Tests.swift") && !["TableTests.swift", "ReadmeTests.swift"].contains($0) }
            .flatMap { file in
                let source = try Repository.text("\(folder)/\(file)")
                let tests = source.matches(of: /@Test\(\s*"([^"]+)"(?:,\s*\.sample\("([A-Z][0-9]+)"\))?/)
                #expect(tests.count == source.split(separator: "@Test", omittingEmptySubsequences: false).count - 1)
                return tests.map { Row(id: "\($0.2 ?? "none")", file: file, test: "\($0.1)") }
            }
    }

    @Test("each row names its tests, and each test its row")
    func table() throws {
        let (rows, tests) = (try rows(), try tests())
        #expect(tests.count > 30)
        #expect(Set(rows).subtracting(tests) == [], "rows without such a test")
        #expect(Set(tests).subtracting(rows) == [], "tests without such a row")
        #expect(rows.count == Set(rows).count)
    }

    @Test("SourcePages.md: the rows of each letter are numbered without a gap, and no cell is empty")
    func numbering() throws {
        var next: [Character: Int] = [:]
        for line in try page.split(separator: "\n") where line.contains(/^\| [A-Z][0-9]+ \|/) {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(cells.count == 5 && cells.allSatisfy { !$0.isEmpty }, "\(line)")
            let letter = cells[0].first ?? "-"
            next[letter, default: 0] += 1
            #expect(cells[0] == "\(letter)\(next[letter, default: 0])")
        }
        #expect(next.keys.sorted() == ["B", "E", "G", "T"])
    }
}
