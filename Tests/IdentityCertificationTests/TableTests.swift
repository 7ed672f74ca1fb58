import FoundationEssentials
import TestGuides
import Testing

@Suite("The table of the certification")
struct TableTests {
    private static let folder = "Tests/IdentityCertificationTests/"

    private struct Named: Hashable {
        let test: String
        let file: String
    }

    /// The tests that the page names: `test` in `File.swift`.
    private func table() throws -> Set<Named> {
        let page = try Repository.text("Documentation/Trust/Certification.md")
        return Set(
            page.matches(of: /`([^`]+)` in `([A-Za-z0-9]+\.swift)`/).map { Named(test: "\($0.1)", file: "\($0.2)") }
        )
    }

    /// The tests of this target, without those about the page and the guide.
    private func tests() throws -> Set<Named> {
        let files = try FileManager.default.contentsOfDirectory(
            atPath: Repository.root.appending(path: Self.folder).path
        )
        var found: Set<Named> = []
        for file in files where file.hasSuffix("Tests.swift") {
            guard !["TableTests.swift", "GuideTests.swift"].contains(file) else { continue }
            let source = try Repository.text(Self.folder + file)
            for match in source.matches(of: /@Test\(\s*"([^"]+)"/) {
                found.insert(Named(test: "\(match.1)", file: file))
            }
        }
        return found
    }

    @Test("every test that the page names exists, and every test of the target is on the page")
    func names() throws {
        let (named, existing) = (try table(), try tests())
        #expect(existing.count > 80)
        #expect(named.subtracting(existing).isEmpty)
        #expect(existing.subtracting(named).isEmpty)
    }

    @Test("the page has each of the 57 modules once, with a test or a reason")
    func modules() throws {
        let page = try Repository.text("Documentation/Trust/Certification.md")
        let rows = page.split(separator: "\n").compactMap { line -> (number: Int, cells: [Substring])? in
            let cells = line.split(separator: "|").map { $0.trimmingPrefix(" ") }
            guard cells.count == 6, let number = Int(cells[0].filter { $0 != " " }) else { return nil }
            return (number, cells)
        }
        #expect(rows.map(\.number) == Array(1...57))
        for row in rows where row.cells[4].hasPrefix("—") {
            #expect(row.cells[5].hasPrefix("not "), "\(row.number) has neither test nor reason")
        }
    }

    @Test("the files that the page names exist")
    func files() throws {
        let page = try Repository.text("Documentation/Trust/Certification.md")
        let paths = page.matches(of: /`(Tests\/[A-Za-z0-9\/]+\.swift)`/).map { String($0.1) }
        #expect(paths.count > 5)
        for path in paths { #expect(throws: Never.self) { try Repository.text(path) } }
    }
}
